package consensus

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// Dumb twins: the same rounds computed from the definition, without messages. Delays of the network are
// one nanosecond against steps of millions, so they may be told from a block and nothing else.

// drawn returns the time of a local step: exponential, at least one tenth.
func drawn(root uint64) func(p Peer, block uint64) Duration {
	return func(p Peer, block uint64) Duration {
		u := seed.Stream(root, "drawn", string(p), fmt.Sprint(block)).Float64()
		return Duration(1e6 * (0.1 - math.Log(1-u)))
	}
}

// closings runs a recipe and returns when each peer closed each round.
func closings(t *testing.T, g *topology.Graph, o Options, root uint64, until Time) map[Peer][]Time {
	w := newNetwork(t, g, o, nil)
	w.step = drawn(root)
	w.latency = func(Peer, Peer) Duration { return 1 }
	w.sending = 1
	all := map[Peer][]Time{}
	w.check = func(p Peer, _ *Machine, _ Event, effects []Effect) {
		for _, e := range effects {
			if mixed, ok := e.(Mixed); ok && !mixed.MidBlock {
				all[p] = append(all[p], w.now)
			}
		}
	}
	w.run(until)
	return all
}

// near fails unless two times are equal but for messages.
func near(r *rapid.T, what string, got, want Time) {
	if d := got - want; d < 0 || d > 5000 {
		r.Fatalf("%s: closed at %d, by definition at %d", what, got, want)
	}
}

// dpsgd is a max-plus recursion over the neighbours, the barrier one over everybody.
func TestLocalAndGlobalBarrierTimes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(2, 8).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		g := randomGraph(root, n)
		step := drawn(root)
		for _, recipe := range []string{"dpsgd", "barrier"} {
			got := closings(t, g, Options{Recipe: recipe}, root, 60_000_000)
			at := make([]Time, n)
			for round := range 10 {
				finished := make([]Time, n)
				for i := range finished {
					finished[i] = at[i] + Time(step(letters(n)[i], uint64(round+1)))
				}
				for i := range at {
					at[i] = finished[i]
					for j := range at {
						if recipe == "barrier" || g.Has(i, j) {
							at[i] = max(at[i], finished[j])
						}
					}
				}
				for i, p := range letters(n) {
					near(r, fmt.Sprintf("%s, %s, round %d", recipe, p, round), got[p][round], at[i])
				}
			}
		}
	})
}

// thresholds computes the closing times of the threshold rule from its definition: theta(k) is the
// first time at which both ends of a tree edge that was not used in this cycle have finished.
type thresholds struct {
	n     int
	next  func(finish []Time) Time // theta, given when everybody finishes
	step  func(p Peer, block uint64) Duration
	block []uint64
	late  Late
}

// run returns theta of the first rounds.
func (d *thresholds) run(rounds int) []Time {
	names := letters(d.n)
	finish := make([]Time, d.n)
	d.block = make([]uint64, d.n)
	begin := func(i int, at Time) {
		d.block[i]++
		finish[i] = at + Time(d.step(names[i], d.block[i]))
	}
	for i := range finish {
		begin(i, 0)
	}
	var all []Time
	for range rounds {
		theta := d.next(finish)
		all = append(all, theta)
		for i := range finish {
			if finish[i] <= theta || d.late == Abort {
				begin(i, theta)
			}
		}
	}
	return all
}

// useNext returns theta and uses up the edges that win the round: those whose later end finishes then,
// which are several if that end is the same.
func useNext(tree []topology.Edge, used map[topology.Edge]bool, finish []Time) Time {
	theta := Never
	for _, e := range tree {
		if !used[e] {
			theta = min(theta, max(finish[e.U], finish[e.V]))
		}
	}
	for _, e := range tree {
		if max(finish[e.U], finish[e.V]) == theta {
			used[e] = true
		}
	}
	if len(used) == len(tree) {
		clear(used)
	}
	return theta
}

func TestThresholdTimes(t *testing.T) {
	for _, late := range []Late{Abort, Skip} {
		rapid.Check(t, func(r *rapid.T) {
			n, root := rapid.IntRange(2, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
			g := randomGraph(root, n)
			tree, used := topology.SpanningTree(g, func(int) bool { return false }), map[topology.Edge]bool{}
			d := thresholds{n: n, step: drawn(root), late: late}
			d.next = func(finish []Time) Time { return useNext(tree, used, finish) }
			d.compare(t, r, g, Options{Recipe: "dybw", Late: late}, root)
		})
	}
}

// compare fails unless somebody closed every round at its time.
func (d *thresholds) compare(t *testing.T, r *rapid.T, g *topology.Graph, o Options, root uint64) {
	want := d.run(12)
	closed := map[Time]bool{}
	for _, times := range closings(t, g, o, root, want[len(want)-1]+1_000_000) {
		for _, at := range times {
			closed[at/10_000] = true
		}
	}
	for k, theta := range want {
		if !closed[theta/10_000] && !closed[(theta+5000)/10_000] {
			r.Fatalf("%s, late %s: nobody closed round %d at %d", o.Recipe, o.Late, k, theta)
		}
	}
}

// Under carry nobody skips or loses a block: t_i(k) of the theorem, by its recursion.
func TestCarryTimes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(2, 8).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		g, step := randomGraph(root, n), drawn(root)
		tree := topology.SpanningTree(g, func(int) bool { return false })
		got := closings(t, g, Options{Recipe: "dybw", Late: Carry}, root, 60_000_000)
		begun := make([]Time, n)
		used := map[topology.Edge]bool{}
		for round := range 12 {
			finish := make([]Time, n)
			for i := range finish {
				finish[i] = begun[i] + Time(step(letters(n)[i], uint64(round+1)))
			}
			theta := useNext(tree, used, finish)
			for i, p := range letters(n) {
				begun[i] = max(finish[i], theta)
				near(r, fmt.Sprintf("%s, round %d", p, round), got[p][round], begun[i])
			}
		}
	})
}

// In every cycle every tree edge is used, so the union of its rounds is connected.
func TestEveryCycleUsesTheTree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(3, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		g := randomGraph(root, n)
		tree := topology.SpanningTree(g, func(int) bool { return false })
		w := newNetwork(t, g, Options{Recipe: "dybw"}, nil)
		w.step = drawn(root)
		w.latency = func(Peer, Peer) Duration { return 1 }
		mixed := map[[2]Peer]uint64{}
		w.check = func(p Peer, _ *Machine, _ Event, effects []Effect) {
			for _, e := range effects {
				mix, ok := e.(Mixed)
				if !ok {
					continue
				}
				for _, s := range mix.Used {
					mixed[[2]Peer{p, s.Peer}] = mix.Round
				}
				for _, e := range tree { // an edge that was used in a cycle is used again before the next ends
					a, b := w.names[e.U], w.names[e.V]
					if last := mixed[[2]Peer{a, b}]; p == a && mix.Round > last+2*uint64(len(tree)) {
						r.Fatalf("%s-%s was last mixed in round %d, now it is %d", a, b, last, mix.Round)
					}
				}
			}
		}
		w.run(40_000_000)
	})
}

// quorumTwin is quorum with constant weights over a network without delays, written as a loop over
// the next thing that happens.
type quorumTwin struct {
	g       *topology.Graph
	need    int
	x       [][]float64
	said    [][]float64 // last published
	seq     []int
	used    [][]int // used[i][j]: seq of j's estimate when i mixed last
	finish  []Time
	block   []uint64
	waiting []bool
	mixes   []int
}

func newQuorumTwin(g *topology.Graph, need int) *quorumTwin {
	n := g.N()
	q := &quorumTwin{
		g: g, need: need, x: make([][]float64, n), said: make([][]float64, n), seq: make([]int, n),
		used: make([][]int, n), finish: make([]Time, n), block: make([]uint64, n), waiting: make([]bool, n),
		mixes: make([]int, n),
	}
	for i := range n {
		c := Config{}
		spread(i, &c)
		q.x[i] = []float64{float64(c.Params[0]), float64(c.Params[1])}
		q.used[i] = make([]int, n)
	}
	for i := range n {
		q.said[i] = q.x[i]
	}
	return q
}

func (q *quorumTwin) run(step func(Peer, uint64) Duration, until Time) {
	names := letters(q.g.N())
	for i := range q.finish {
		q.block[i] = 1
		q.finish[i] = Time(step(names[i], 1))
	}
	for {
		next := 0
		for i, at := range q.finish {
			if at < q.finish[next] {
				next = i
			}
		}
		now := q.finish[next]
		if now > until {
			return
		}
		q.finish[next] = Never
		q.said[next] = slices.Clone(q.x[next])
		q.seq[next]++
		q.waiting[next] = true
		for again := true; again; { // whoever can mix does, and lets nobody else go on, as it only trains
			again = false
			for i := range q.waiting {
				if q.waiting[i] && q.fresh(i) >= min(q.need, q.g.Degree(i)) {
					q.mix(i)
					q.block[i]++
					q.finish[i] = now + Time(step(names[i], q.block[i]))
				}
			}
		}
	}
}

func (q *quorumTwin) fresh(i int) int {
	count := 0
	for _, j := range q.g.Neighbours(i) {
		if q.seq[j] > q.used[i][j] {
			count++
		}
	}
	return count
}

func (q *quorumTwin) mix(i int) {
	q.waiting[i] = false
	q.mixes[i]++
	mixed := slices.Clone(q.x[i])
	for _, j := range q.g.Neighbours(i) {
		for d := range mixed {
			mixed[d] += topology.Weight(q.g.Degree(i), q.g.Degree(j)) * (q.said[j][d] - q.x[i][d])
		}
		q.used[i][j] = q.seq[j]
	}
	q.x[i] = mixed
}

func TestQuorumTwin(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(2, 8).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		need := rapid.IntRange(1, 3).Draw(r, "quorum")
		g := randomGraph(root, n)
		// All replicas start from the run's first parameters; here everybody starts elsewhere, so the twin
		// is told what the machines believe.
		twin := newQuorumTwin(g, need)
		w := newNetwork(t, g, Options{Recipe: "quorum", Quorum: need, Weights: Constant}, spread)
		for _, m := range w.peers {
			for _, other := range m.view.neighbours {
				other.replica.Params = w.peers[other.name].x
			}
		}
		w.step = drawn(root)
		w.latency = func(Peer, Peer) Duration { return 1 }
		w.run(15_000_000)
		twin.run(drawn(root), 15_000_000)
		for i, p := range w.names {
			if d := w.mixes[p] - twin.mixes[i]; d < -1 || d > 1 { // the end may cut between the two
				r.Fatalf("%s mixed %d times, its twin %d", p, w.mixes[p], twin.mixes[i])
			}
			for d, f := range w.peers[p].Params() {
				if math.Abs(float64(f)-twin.x[i][d]) > 0.02*(1+math.Abs(twin.x[i][d])) {
					r.Fatalf("%s is at %v, its twin at %v", p, w.peers[p].Params(), twin.x[i])
				}
			}
		}
	})
}
