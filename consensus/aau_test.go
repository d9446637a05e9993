package consensus

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// The paper's (2306.06559): a round ends at the first time at which both ends of an edge have finished
// that joins two parts of the edges used in this cycle; unfinished peers train on (skip). Ours: the part
// test in place of the visited test, and that all edges count which the last finisher completes.

// joinNext returns theta and joins the parts over the edges that win the round: those whose later end
// finishes then, which are several if that end is the same.
func joinNext(g *topology.Graph, part []int, finish []Time) Time {
	theta := Never
	for _, e := range g.Edges() {
		if part[e.U] != part[e.V] {
			theta = min(theta, max(finish[e.U], finish[e.V]))
		}
	}
	for _, e := range g.Edges() {
		if max(finish[e.U], finish[e.V]) != theta {
			continue
		}
		from, to := part[e.V], part[e.U]
		for i := range part {
			if part[i] == from {
				part[i] = to
			}
		}
	}
	for i := range part {
		if part[i] != part[0] {
			return theta
		}
	}
	for i := range part {
		part[i] = i
	}
	return theta
}

func TestPathSearchTimes(t *testing.T) {
	for _, late := range []Late{Abort, Skip} {
		rapid.Check(t, func(r *rapid.T) {
			n, root := rapid.IntRange(2, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
			g, part := randomGraph(root, n), make([]int, n)
			for i := range part {
				part[i] = i
			}
			d := thresholds{n: n, step: drawn(root), late: late}
			d.next = func(finish []Time) Time { return joinNext(g, part, finish) }
			d.compare(t, r, g, Options{Recipe: "aau", Late: late}, root)
		})
	}
}

// all returns what a peer sees that reaches every member but some.
func all(n int, but ...int) []bool {
	reached := make([]bool, n)
	for i := range reached {
		reached[i] = true
	}
	for _, i := range but {
		reached[i] = false
	}
	return reached
}

// The visited test of the paper stops here: on the path 0-1-2-3 the edges 0-1 and 2-3 visit everybody,
// and 1-2 visits nobody new. Counting parts, 1-2 joins two.
func TestPathSearchDoesNotStopWhenEverybodyIsVisited(t *testing.T) {
	j := &joining{}
	j.plant(nil, all(4))
	j.mark(edge{0, 1})
	j.mark(edge{2, 3})
	if j.complete() || !j.wants(edge{1, 2}) {
		t.Error("two parts of two are taken for the whole")
	}
	if j.wants(edge{0, 1}) {
		t.Error("an edge within a part is wanted")
	}
	if !j.mark(edge{1, 2}) || !j.complete() {
		t.Error("one part is not complete")
	}
	j.restart()
	if j.complete() || !j.wants(edge{0, 1}) {
		t.Error("the next cycle wants nothing")
	}
}

// The parts are those of the marked edges, in whatever order they are heard, and a cycle takes as many
// joining edges as there are others.
func TestPartsDoNotDependOnTheOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(2, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		gone := n + 1
		if rapid.Bool().Draw(r, "one gone") {
			gone = n - 1
		}
		reached := all(n)
		if gone < n {
			reached[gone] = false
		}
		edges := randomGraph(root, n).Edges()
		edges = edges[:seed.Stream(root, "some").IntN(len(edges)+1)]
		marked := topology.New(n)
		for _, e := range edges {
			if reached[e.U] && reached[e.V] {
				if err := marked.Add(e.U, e.V, 1); err != nil {
					r.Fatal(err)
				}
			}
		}
		j := &joining{}
		j.plant(nil, reached)
		news := 0
		for _, e := range rapid.Permutation(edges).Draw(r, "order") {
			if j.mark(edge{e.U, e.V}) && reached[e.U] && reached[e.V] {
				news++
			}
		}
		whole := j.most > 1
		for u := range n {
			for v, joined := range component(marked, u, nil) {
				if v <= u || !reached[u] || !reached[v] {
					continue
				}
				if j.wants(edge{u, v}) == joined {
					r.Fatalf("%d-%d: joined is %v", u, v, joined)
				}
				whole = whole && joined
			}
		}
		if j.complete() != whole || news != j.most-j.parts {
			r.Fatalf("complete is %v, want %v; %d edges joined %d members to %d parts",
				j.complete(), whole, news, j.most, j.parts)
		}
	})
}

// An edge to a member that is not reached here is remembered for the time when it is.
func TestPathSearchRemembersWhatItCannotUse(t *testing.T) {
	j := &joining{}
	j.plant(nil, all(3, 2))
	if !j.mark(edge{1, 2}) || j.wants(edge{1, 2}) || j.complete() {
		t.Error("an edge to a member that is gone is forgotten, wanted or counted")
	}
	j.plant(nil, nil) // this peer is no member any more
	if j.wants(edge{0, 1}) || j.complete() {
		t.Error("a peer that is no member wants an edge")
	}
}

// In every cycle the mixed edges join all peers, so nobody is left out for longer than two cycles.
func TestPathSearchHearsEverybody(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(3, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		w := newNetwork(t, randomGraph(root, n), Options{Recipe: "aau"}, nil)
		w.step = jitter(root, map[Peer]float64{"b": 5})
		w.latency = func(Peer, Peer) Duration { return 1 }
		last := map[Peer]uint64{}
		w.check = func(p Peer, _ *Machine, _ Event, effects []Effect) {
			for _, e := range effects {
				mix, ok := e.(Mixed)
				if !ok || len(mix.Used) == 0 {
					continue
				}
				for _, name := range w.names {
					if mix.Round > last[name]+2*uint64(n) {
						r.Fatalf("%s was last mixed in round %d, now it is %d", name, last[name], mix.Round)
					}
				}
				last[p] = max(last[p], mix.Round)
			}
		}
		w.run(100_000)
	})
}

// Rounds are shorter than those of the threshold rule, which waits for the edges of one tree.
func TestPathSearchIsShorterThanATree(t *testing.T) {
	g := ring(6, 2)
	search, tree := roundTime(t, g, Options{Recipe: "aau"}), roundTime(t, g, Options{Recipe: "dybw"})
	if search > 0.85*tree {
		t.Errorf("a round takes %.0f by path search, %.0f by a tree", search, tree)
	}
}

// A peer that pulls to a point of its own and is four times slower counts less, and in full with
// participation.
func TestParticipationInPathSearch(t *testing.T) {
	skip, _ := pull(t, Options{Recipe: "aau"}, 4, 2_000_000)
	corrected, _ := pull(t, Options{Recipe: "aau", Participation: true}, 4, 2_000_000)
	if skip > 0.7 {
		t.Errorf("skip: %.3f, want clearly less than 1", skip)
	}
	if corrected < 0.85 || corrected > 1.15 {
		t.Errorf("participation: %.3f, want 1", corrected)
	}
}
