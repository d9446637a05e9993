package consensus

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// randomGraph is a ring, so that it is connected, with chords.
func randomGraph(root uint64, n int) *topology.Graph {
	g := ring(n, 1)
	stream := seed.Stream(root, "chords")
	for range n / 2 {
		if u, v := stream.IntN(n), stream.IntN(n); u != v {
			if err := g.Add(u, v, 1); err != nil {
				panic(err)
			}
		}
	}
	return g
}

// spread gives every peer its own first parameters.
func spread(i int, c *Config) {
	c.Params = []float32{float32(i * i), float32(10 - 3*i)}
}

func mean(w *network) []float64 {
	sum := make([]float64, 2)
	for _, p := range w.names {
		for i, f := range w.peers[p].Params() {
			sum[i] += float64(f) / float64(len(w.names))
		}
	}
	return sum
}

// Without training, dpsgd computes W^k x0 exactly, whatever the speeds: it mixes rounds, not times.
func TestRoundsArePowersOfTheMatrix(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(2, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		g := randomGraph(root, n)
		for _, recipe := range []string{"dpsgd", "barrier"} {
			w := newNetwork(t, g, Options{Recipe: recipe}, spread)
			w.step = jitter(root, map[Peer]float64{"b": 3})
			byRound := map[Peer][][]float32{}
			w.check = func(p Peer, m *Machine, _ Event, _ []Effect) {
				if uint64(len(byRound[p])) == m.Round() {
					byRound[p] = append(byRound[p], m.Params())
				}
			}
			w.run(60_000)
			want := powers(g, 10)
			for i, p := range w.names {
				for k := range want {
					for d := range 2 {
						if got := float64(byRound[p][k][d]); math.Abs(got-want[k][i][d]) > 1e-4 {
							r.Fatalf("%s: %s in round %d: %v, want %v", recipe, p, k, got, want[k][i][d])
						}
					}
				}
			}
		}
	})
}

// powers returns W^k x0 for the first rounds, by the definition of W.
func powers(g *topology.Graph, rounds int) [][][]float64 {
	x := make([][]float64, g.N())
	for i := range x {
		c := Config{}
		spread(i, &c)
		x[i] = []float64{float64(c.Params[0]), float64(c.Params[1])}
	}
	var all [][][]float64
	for range rounds {
		all = append(all, x)
		next := make([][]float64, len(x))
		for i := range x {
			next[i] = slices.Clone(x[i])
			for _, j := range g.Neighbours(i) {
				for d := range x[i] {
					next[i][d] += topology.Weight(g.Degree(i), g.Degree(j)) * (x[j][d] - x[i][d])
				}
			}
		}
		x = next
	}
	return all
}

// agreeing are the recipes whose matrix is symmetric in every round, whoever is slow.
func agreeing() map[string]Options {
	all := every()
	maps.DeleteFunc(all, func(_ string, o Options) bool { return gives(o)&(agreed|lockStep) == 0 })
	return all
}

// gives returns what the pieces of a recipe give together.
func gives(o Options) capability {
	r := lookup(o.Recipe)
	r.defaults(&o)
	var all capability
	for _, p := range r.pieces(o) {
		all |= p.gives
	}
	return all
}

// Both ends of every edge of a round use the same weight, no row has more than 1 off its diagonal,
// and nothing of another round is mixed. So the matrix of the round is doubly stochastic.
func TestWeightsAreSymmetric(t *testing.T) {
	for name, o := range agreeing() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				n, root := rapid.IntRange(2, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
				w := newNetwork(t, randomGraph(root, n), o, nil)
				w.step = jitter(root, map[Peer]float64{"b": rapid.Float64Range(1, 6).Draw(r, "slow")})
				w.latency = delays(root, rapid.IntRange(1, 800).Draw(r, "delay"))
				w.check = func(p Peer, _ *Machine, _ Event, effects []Effect) { checkMixes(r, p, effects) }
				w.run(40_000)
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

func checkMixes(r *rapid.T, p Peer, effects []Effect) {
	for _, e := range effects {
		mixed, ok := e.(Mixed)
		if !ok {
			continue
		}
		sum := 0.0
		for _, s := range mixed.Used {
			sum += float64(s.Weight)
			if s.Round != mixed.Round || s.Staleness != 0 {
				r.Fatalf("%s mixed %s's round %d into round %d", p, s.Peer, s.Round, mixed.Round)
			}
		}
		if sum > 1 {
			r.Fatalf("%s gave away %v of itself", p, sum)
		}
		shares := 0.0
		for _, s := range mixed.Influence {
			shares += s.Value
		}
		if math.Abs(shares-1) > 1e-9 {
			r.Fatalf("influence sums to %v", shares)
		}
	}
}

func delays(root uint64, longest int) func(a, b Peer) Duration {
	return func(a, b Peer) Duration {
		return 1 + Duration(seed.Derive(root, "delay", string(a), string(b))%uint64(longest))
	}
}

// drain lets everybody close the latest round that anybody is in, and go no further.
func (w *network) drain(r *rapid.T) {
	last := uint64(0)
	for _, m := range w.peers {
		last = max(last, m.Round())
	}
	w.last = last
	w.run(w.now + 1_000_000)
	for p, m := range w.peers {
		if m.Round() <= last {
			r.Fatalf("%s is still in round %d of %d", p, m.Round(), last)
		}
	}
}

// Mixing keeps the mean: without training it does not move, in any round that everybody has closed.
func TestMixingKeepsTheMean(t *testing.T) {
	for name, o := range agreeing() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				n, root := rapid.IntRange(1, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
				w := newNetwork(t, randomGraph(root, n), o, spread)
				w.step = jitter(root, map[Peer]float64{"b": rapid.Float64Range(1, 6).Draw(r, "slow")})
				w.latency = delays(root, 200)
				before := mean(w)
				w.run(30_000)
				w.drain(r)
				for i, f := range mean(w) {
					if math.Abs(f-before[i]) > 1e-5*(1+math.Abs(before[i])) {
						r.Fatalf("mean moved from %v to %v", before, mean(w))
					}
				}
			})
		})
	}
}

// rename maps peer i to another name; everything else of the network is the same.
func renamed(t *testing.T, o Options, names []Peer, root uint64) map[int][]float32 {
	g := topology.New(len(names))
	order := slices.Clone(names)
	slices.Sort(order)
	at := func(i int) int { return slices.Index(order, names[i]) }
	for _, e := range randomGraph(root, len(names)).Edges() {
		if err := g.Add(at(e.U), at(e.V), 1); err != nil {
			t.Fatal(err)
		}
	}
	index := func(p Peer) int { return slices.Index(names, p) }
	w := newNetwork(t, g, o, func(i int, c *Config) { spread(index(order[i]), c) })
	w.step = func(p Peer, block uint64) Duration {
		return 900 + Duration(seed.Derive(root, fmt.Sprint(index(p), block))%200)
	}
	w.latency = func(a, b Peer) Duration {
		return 1 + Duration(seed.Derive(root, fmt.Sprint(index(a), "to", index(b)))%97)
	}
	w.run(30_000)
	out := map[int][]float32{}
	for i, p := range names {
		out[i] = w.peers[p].Params()
	}
	return out
}

// Names do not matter but for the order of sums: relabelled peers give the same result, to rounding.
func TestRelabelledPeersPermuteTheResult(t *testing.T) {
	for _, recipe := range []string{"dpsgd", "quorum", "pulse", "backup", "barrier"} {
		rapid.Check(t, func(r *rapid.T) {
			n, root := rapid.IntRange(2, 8).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
			names := rapid.Permutation(letters(n)).Draw(r, "names")
			o := Options{Recipe: recipe}
			one, other := renamed(t, o, letters(n), root), renamed(t, o, names, root)
			for i := range one {
				for d := range one[i] {
					if math.Abs(float64(one[i][d]-other[i][d])) > 1e-3 {
						r.Fatalf("%s: peer %d: %v as %s, %v as %s", recipe, i, one[i], letters(n)[i], other[i], names[i])
					}
				}
			}
		})
	}
}

// Only ratios of times matter: all of them doubled, the same rounds close in the same order.
func TestDoubledTimesKeepTheRounds(t *testing.T) {
	for name, o := range every() {
		if o.Share != "" {
			continue // a share of a time is rounded to whole nanoseconds
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(scale Duration) map[Peer]uint64 {
				w := newNetwork(t, randomGraph(3, 8), o, spread)
				step := jitter(7, map[Peer]float64{"b": 5})
				w.step = func(p Peer, block uint64) Duration { return scale * step(p, block) }
				w.latency = func(Peer, Peer) Duration { return 10 * scale }
				w.sending = 5 * scale
				w.run(Time(100_000 * scale))
				rounds := map[Peer]uint64{}
				for p, m := range w.peers {
					rounds[p] = m.Round()
				}
				return rounds
			}
			// 64 and 128 keep every average exact: durations are whole numbers.
			if diff := cmp.Diff(run(64), run(128)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// One seed, one run, to the last line.
func TestSameSeedSameHash(t *testing.T) {
	for name, o := range every() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(root uint64) uint64 {
				w := newNetwork(t, randomGraph(1, 8), o, spread)
				w.step = jitter(root, map[Peer]float64{"c": 4})
				w.learn = towards(0.1, map[Peer][]float32{"a": {1, 1}})
				w.logging = true
				w.run(50_000)
				return w.hash
			}
			first := run(5)
			if run(5) != first {
				t.Error("two runs of one seed differ")
			}
			if run(6) == first {
				t.Error("two seeds give one run")
			}
		})
	}
}
