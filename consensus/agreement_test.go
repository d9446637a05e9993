package consensus

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// Small messages may overtake estimates on their way: the edges stay mutual, the weights equal, and
// nobody hangs.
func TestAgreementWhenSmallMessagesOvertake(t *testing.T) {
	for name, o := range agreeing() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				n, root := rapid.IntRange(2, 8).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
				w := newNetwork(t, randomGraph(root, n), o, nil)
				w.step = jitter(root, map[Peer]float64{"b": rapid.Float64Range(1, 6).Draw(r, "slow")})
				w.latency = delays(root, 100)
				bulk := Duration(rapid.IntRange(0, 1500).Draw(r, "bulk"))
				w.bulk = func(Peer, Peer) Duration { return bulk }
				w.check = func(p Peer, _ *Machine, _ Event, effects []Effect) { checkMixes(r, p, effects) }
				w.run(60_000)
				w.drain(r)
				for key, weight := range w.weights {
					if back := w.weights[edgeRound{key.round, key.to, key.from}]; back != weight {
						r.Fatalf("round %d: %s weighs %s by %v, back %v", key.round, key.from, key.to, weight, back)
					}
				}
			})
		})
	}
}

// With everybody on time, a round of the agreeing recipes mixes what dpsgd mixes.
func TestOnTimeEverybodyIsMixed(t *testing.T) {
	for name, o := range agreeing() {
		if o.Recipe == "dybw" || o.Recipe == "aau" {
			continue // closes when two have finished, by design
		}
		w := newNetwork(t, ring(6, 1), o, nil)
		w.step = func(Peer, uint64) Duration { return 1000 }
		mixed := 0
		w.check = func(_ Peer, _ *Machine, _ Event, effects []Effect) {
			for _, e := range effects {
				if m, ok := e.(Mixed); ok {
					mixed += len(m.Used)
				}
			}
		}
		w.run(30_000)
		if all := 6 * 2 * 27; mixed < all*3/4 {
			t.Errorf("%s: %d estimates were mixed of about %d", name, mixed, all)
		}
	}
}

// A slow peer is mixed under skip, loses its blocks under abort, and holds everybody under carry of
// dybw: once a cycle its tree edge has to be used.
func TestWhatLateDoesToASlowPeer(t *testing.T) {
	run := func(o Options) (fast, slow uint64, lost int) {
		w := newNetwork(t, ring(6, 1), o, nil)
		w.step = jitter(2, map[Peer]float64{"b": 6})
		w.run(300_000)
		for p := range w.peers {
			if p != "b" {
				fast += w.peers[p].Steps() / 5
			}
		}
		return fast, w.peers["b"].Steps(), w.lost
	}
	for _, recipe := range []string{"dybw", "backup"} {
		_, aborted, lost := run(Options{Recipe: recipe, Late: Abort})
		_, skipped, _ := run(Options{Recipe: recipe, Late: Skip})
		fast, carried, _ := run(Options{Recipe: recipe, Late: Carry})
		if aborted > skipped*4/5 || lost < 50 {
			t.Errorf("%s: abort finished %d blocks of %d and lost %d", recipe, aborted, skipped, lost)
		}
		if carried < 45 || skipped < 45 {
			t.Errorf("%s: carry %d and skip %d blocks, about 50 fit", recipe, carried, skipped)
		}
		if recipe == "dybw" && fast > carried*3/2 {
			t.Errorf("dybw carry: the fast did %d blocks, the slow one %d", fast, carried)
		}
	}
}

// Cut counts a part of a slow peer's block in every round that closes without it: it is mixed more often than under
// skip, with the steps that it had done, and no step is thrown away.
func TestCutCountsPartialWork(t *testing.T) {
	const blockSteps = 4
	run := func(recipe string, late Late) (heard int, blocks []int, steps uint64) {
		w := newNetwork(t, ring(6, 1), Options{Recipe: recipe, Late: late, LocalSteps: blockSteps}, nil)
		w.step = jitter(2, map[Peer]float64{"b": 6})
		w.check = func(p Peer, _ *Machine, ev Event, _ []Effect) {
			if done, ok := ev.(Trained); ok && p == "b" {
				blocks = append(blocks, done.Steps)
				steps += uint64(done.Steps)
			}
		}
		w.run(800_000)
		for e := range w.weights {
			if e.from == "b" {
				heard++
			}
		}
		if got := w.peers["b"].Steps(); got != steps {
			t.Errorf("%s, %s: %d steps count of %d", recipe, late, got, steps)
		}
		return heard, blocks, steps
	}
	for _, recipe := range []string{"dybw", "aau", "backup"} {
		skipped, _, all := run(recipe, Skip)
		heard, blocks, steps := run(recipe, Cut)
		short := 0
		for _, n := range blocks {
			if n < 1 || n > blockSteps {
				t.Fatalf("%s: a block of %d steps", recipe, n)
			}
			if n < blockSteps {
				short++
			}
		}
		t.Logf("%s: mixed over %d edges in %d blocks, %d short, %d steps; skip %d edges, %d steps",
			recipe, heard, len(blocks), short, steps, skipped, all)
		if 2*heard < 3*skipped || 2*short < len(blocks) || steps < all*3/4 {
			t.Errorf("%s: cut mixes over %d edges, skip over %d; steps %d and %d", recipe, heard, skipped, steps, all)
		}
	}
}

// Saving the degree message costs nothing but the weights.
func TestStaticDegreesSaveMessages(t *testing.T) {
	run := func(static bool) *network {
		w := newNetwork(t, ring(6, 2), Options{Recipe: "dybw", StaticDegrees: static}, nil)
		w.step = jitter(2, nil)
		w.run(60_000)
		return w
	}
	if with, without := run(false), run(true); without.sent["Degree"] != 0 || with.sent["Degree"] < 200 {
		t.Errorf("%d degrees with, %d without", with.sent["Degree"], without.sent["Degree"])
	}
}

// All peers compute one tree; slow peers are leaves of it; who is gone is not in it. Views differ for a moment,
// while a peer is a round ahead of those who announce the gone: what is asked is that they come together again.
func TestEverybodyPlantsTheSameTree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(3, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		w := newNetwork(t, randomGraph(root, n), Options{Recipe: "dybw"}, func(_ int, c *Config) { c.Slow = []Peer{"b"} })
		dead := seed.Stream(root, "dead").IntN(n)
		w.run(5000)
		w.kill(w.names[dead], 10)
		wrong := "not run"
		for until := Time(30_000); wrong != "" && until < 60_000; until += 500 {
			w.run(until)
			wrong = wrongTrees(w, dead)
		}
		if wrong != "" {
			r.Fatal(wrong)
		}
	})
}

// wrongTrees tells where the trees of a network without its dead peer differ or have too many edges; "": nowhere.
func wrongTrees(w *network, dead int) string {
	gone := make([]bool, len(w.names))
	gone[dead] = true
	parts := map[string]bool{}
	for i, p := range w.names {
		if i == dead {
			continue
		}
		edges := w.peers[p].rule.(*agreement).closer.(*established).cover.(*spanning).tree.edges
		part, size := component(w.graph, i, gone), 0
		for _, in := range part {
			if in {
				size++
			}
		}
		if len(edges) != size-1 {
			return fmt.Sprintf("%s: %d edges for a part of %d", p, len(edges), size)
		}
		parts[lineOf(part, edges)] = true
	}
	if len(parts) > 2 { // one dead peer cuts a ring with chords into two parts at most
		return fmt.Sprintf("trees differ: %v", parts)
	}
	return ""
}

func lineOf(part []bool, edges []edge) string {
	text := ""
	for _, in := range part {
		text += map[bool]string{true: "x", false: "."}[in]
	}
	for _, e := range edges {
		text += " " + string(rune('a'+e.u)) + string(rune('a'+e.v))
	}
	return text
}

// component is what repeated squaring of reachability gives.
func TestComponentTwin(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(1, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		g := topology.New(n)
		stream := seed.Stream(root, "component")
		for range n {
			if u, v := stream.IntN(n), stream.IntN(n); u != v {
				if err := g.Add(u, v, 1); err != nil {
					r.Fatal(err)
				}
			}
		}
		missing := make([]bool, n)
		for i := range missing {
			missing[i] = i > 0 && stream.IntN(4) == 0
		}
		want := make([]bool, n)
		want[0] = true
		for range n {
			for u := range n {
				for v := range n {
					if want[u] && g.Has(u, v) && !missing[v] {
						want[v] = true
					}
				}
			}
		}
		for v, in := range component(g, 0, missing) {
			if in != want[v] {
				r.Fatalf("vertex %d: %v, want %v", v, in, want[v])
			}
		}
	})
}

func TestHorizonOnlyRises(t *testing.T) {
	h := horizon{after: make([]uint64, 2)}
	for _, c := range []struct {
		vertex int
		round  uint64
		news   bool
	}{{0, 0, true}, {0, 0, false}, {1, 5, true}, {1, 4, false}, {1, 6, true}, {0, ^uint64(0), false}} {
		if got := h.raise(c.vertex, c.round); got != c.news {
			t.Errorf("%+v: news is %v", c, got)
		}
	}
	if h.newest != 7 {
		t.Errorf("newest %d", h.newest)
	}
}

// The rate of taking part: rounds per update, averaged, at most eight.
func TestParticipationScale(t *testing.T) {
	for name, c := range map[string]struct {
		rounds []uint64
		want   float64
	}{
		"every round":     {[]uint64{0, 1, 2, 3}, 1},
		"one late":        {[]uint64{0, 1, 4}, 1.4},
		"every third":     {[]uint64{2, 5, 8, 11}, 3},
		"every twentieth": {[]uint64{19, 39, 59}, 8},
	} {
		var p participation
		var got float32
		for _, round := range c.rounds {
			got = p.scale(round)
		}
		if d := float64(got) - c.want; d < -1e-6 || d > 1e-6 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
