package consensus

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// Lists change at different times at different peers, links follow, and nobody hangs.
func TestProgressOverNewMemberLists(t *testing.T) {
	for name, o := range every() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				n, root := rapid.IntRange(2, 7).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
				w := newNetwork(t, randomGraph(root, n), o, func(_ int, c *Config) { c.MaxAhead = 8 })
				w.step = jitter(root, map[Peer]float64{"b": rapid.Float64Range(0.5, 5).Draw(r, "slow")})
				w.latency = delays(root, 900)
				for k := range uint64(rapid.IntRange(1, 4).Draw(r, "lists")) {
					rewireAll(w, root, k+1, Time(15_000*(k+1)))
				}
				w.run(150_000)
				before := map[Peer]uint64{}
				for p, m := range w.peers {
					before[p] = m.Round()
				}
				w.run(300_000)
				for p, m := range w.peers {
					if m.Round() < before[p]+5 {
						r.Fatalf("%s closed %d rounds and then only %d more", p, before[p], m.Round()-before[p])
					}
				}
			})
		})
	}
}

// rewireAll gives everybody a new list and graph within a few blocks. Links that the new graph does
// not need go down, new ones come up, before or after the list. The order of the list changes too.
func rewireAll(w *network, root, epoch uint64, at Time) {
	stream := seed.Stream(root, "rewire", string(rune('0'+epoch)))
	members := slices.Clone(w.names)
	stream.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	old, fresh := w.links(), map[[2]Peer]bool{}
	g := randomGraph(root+epoch, len(members))
	for _, e := range g.Edges() {
		a, b := members[e.U], members[e.V]
		fresh[[2]Peer{a, b}], fresh[[2]Peer{b, a}] = true, true
	}
	for _, p := range w.names {
		w.at(at+Time(stream.IntN(4000)), p, Rewired{Epoch: epoch, Members: members, Graph: g, Slow: []Peer{"b"}})
		for _, q := range w.names {
			link := [2]Peer{p, q}
			switch when := at + Time(stream.IntN(4000)); {
			case fresh[link] && !old[link]:
				w.at(when, p, Joined{Peer: q})
			case old[link] && !fresh[link]:
				w.at(when, p, Left{Peer: q})
			}
		}
	}
	w.current = fresh
}

// links returns the links that are up.
func (w *network) links() map[[2]Peer]bool {
	if w.current != nil {
		return w.current
	}
	links := map[[2]Peer]bool{}
	for _, e := range w.graph.Edges() {
		a, b := w.names[e.U], w.names[e.V]
		links[[2]Peer{a, b}], links[[2]Peer{b, a}] = true, true
	}
	return links
}

func TestRewireKeepsWhatStays(t *testing.T) {
	var v view
	v.link("b")
	v.link("c")
	v.rewire("a", Rewired{Epoch: 1, Members: letters(4), Graph: ring(4, 1)})
	b := v.find("b")
	b.replica.Params, b.used = []float32{1}, 7
	if !b.live || v.find("d").live || v.find("c") != nil {
		t.Fatalf("a is linked to b and c, its neighbours are b and d: %v", v.neighbours)
	}
	v.rewire("a", Rewired{Epoch: 2, Members: letters(3), Graph: ring(3, 1)})
	if v.find("b") != b || b.used != 7 || !b.live {
		t.Error("b stayed a neighbour and lost what was known of it")
	}
	if c := v.find("c"); !c.live || c.replica.Params != nil {
		t.Error("c's link is up, so it is live, without an estimate")
	}
	v.rewire("a", Rewired{Epoch: 3, Members: []Peer{"c", "x"}, Graph: ring(2, 1)})
	if len(v.neighbours) != 0 || b.live {
		t.Error("a is no member any more and still has neighbours")
	}
	v.rewire("a", Rewired{Epoch: 4, Members: letters(3), Graph: ring(3, 1)})
	if v.find("b") == b || v.find("b").replica.Params != nil || !v.find("b").live {
		t.Error("b came back with what was known of it before")
	}
}

// Neighbours are in the order of their names, whatever the order of the list.
func TestNeighboursAreSorted(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		members := rapid.Permutation(letters(9)).Draw(r, "members")
		var v view
		v.rewire("e", Rewired{Members: members, Graph: randomGraph(rapid.Uint64().Draw(r, "seed"), 9)})
		var names []Peer
		for _, n := range v.neighbours {
			names = append(names, n.name)
			if v.find(n.name) != n {
				r.Fatalf("%s is not found", n.name)
			}
		}
		if !slices.IsSorted(names) || slices.Contains(names, "e") {
			r.Fatalf("neighbours %v", names)
		}
		if v.find("nobody") != nil {
			r.Fatal("found somebody who is no neighbour")
		}
	})
}

// A peer that is nobody's neighbour, or alone, trains on.
func TestLonelyPeersTrain(t *testing.T) {
	for name, o := range every() {
		apart := topology.New(3)
		if err := apart.Add(0, 1, 1); err != nil {
			t.Fatal(err)
		}
		w := newNetwork(t, apart, o, nil)
		w.run(50_000)
		alone := newNetwork(t, topology.New(1), o, nil)
		alone.run(50_000)
		for p, m := range w.peers {
			if m.Round() < 20 {
				t.Errorf("%s: %s closed %d rounds of 50", name, p, m.Round())
			}
		}
		if m := alone.peers["a"]; m.Steps() < 48 || m.Round() < 24 {
			t.Errorf("%s: alone it took %d steps of 50, in %d rounds", name, m.Steps(), m.Round())
		}
	}
}

// What came too early for the member list is heard when the list comes, the oldest dropped first.
func TestHeldMessages(t *testing.T) {
	var h held
	for i := range uint64(heldLimit + 3) {
		h.keep("b", Intent{Epoch: 9, Round: i})
	}
	if len(h) != heldLimit || h[0].Message.(Intent).Round != 3 {
		t.Errorf("%d messages from round %v", len(h), h[0].Message)
	}
	w := newNetwork(t, ring(3, 1), Options{Recipe: "quorum"}, nil)
	m := w.peers["a"]
	m.Step(0, Wake{})
	m.Step(1, Received{From: "x", Message: Estimate{Epoch: 4, Seq: 1, Params: []float32{7, 7}}})
	m.Step(2, Rewired{Epoch: 3, Members: []Peer{"a", "b"}, Graph: ring(2, 1)})
	if m.view.find("x") != nil {
		t.Fatal("x is not in the list")
	}
	m.Step(3, Received{From: "x", Message: Estimate{Epoch: 4, Seq: 1, Params: []float32{7, 7}}})
	m.Step(4, Rewired{Epoch: 4, Members: []Peer{"a", "x"}, Graph: ring(2, 1)})
	if got := m.view.find("x").replica.Seq; got != 1 {
		t.Errorf("x's estimate, held until the list came, has seq %d", got)
	}
}
