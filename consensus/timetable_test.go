package consensus

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// pairsOf returns the graph of a schedule of n peers; a matching lives on a ring with chords.
func pairsOf(t testing.TB, s topology.ScheduleSpec, n int) *topology.Graph {
	t.Helper()
	g, err := topology.ScheduleGraph(s, ring(n, min(2, max(1, (n-1)/2))))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The papers' claim (Ying 2021, Takezawa 2023): all estimates are equal after a period, although nobody
// speaks to more than one other in a round. Speeds do not matter.
func TestOneMateARoundAveragesExactly(t *testing.T) {
	for _, c := range []struct {
		kind   string
		n      int
		period uint64
	}{{"one-peer-exponential", 8, 3}, {"one-peer-exponential", 2, 1}, {"base", 8, 3}, {"base", 6, 4}, {"base", 5, 5}} {
		t.Run(fmt.Sprint(c.kind, c.n), func(t *testing.T) {
			o := Options{Recipe: "dpsgd", Schedule: topology.ScheduleSpec{Kind: c.kind}}
			w := newNetwork(t, pairsOf(t, o.Schedule, c.n), o, spread)
			w.step = jitter(4, map[Peer]float64{"b": 5})
			want := mean(w)
			at := map[Peer][]float32{}
			w.check = func(p Peer, m *Machine, _ Event, effects []Effect) {
				if m.Round() == c.period && at[p] == nil {
					at[p] = m.Params()
				}
				for _, e := range effects {
					if mixed, ok := e.(Mixed); ok && len(mixed.Used) > 1 {
						t.Errorf("%s mixed with %d peers in round %d", p, len(mixed.Used), mixed.Round)
					}
				}
			}
			w.run(60_000)
			for _, p := range w.names {
				for d := range want {
					if math.Abs(float64(at[p][d])-want[d]) > 1e-4 {
						t.Errorf("%s is at %v after %d rounds, want %v", p, at[p], c.period, want)
					}
				}
			}
			if rounds := w.peers["a"].Round(); w.sent["Estimate"] > c.n*int(rounds+2) {
				t.Errorf("%d estimates were sent by %d peers in %d rounds", w.sent["Estimate"], c.n, rounds)
			}
		})
	}
}

func drawSpec(r *rapid.T, n int) topology.ScheduleSpec {
	s := topology.ScheduleSpec{
		Kind:  rapid.SampledFrom(topology.ScheduleKinds()).Draw(r, "kind"),
		Size:  rapid.SampledFrom([]int{0, 2, 3}).Draw(r, "size"),
		Every: rapid.IntRange(0, 2).Draw(r, "every"), Seed: rapid.Uint64Range(0, 9).Draw(r, "schedule"),
	}
	if n&(n-1) != 0 && s.Kind == "one-peer-exponential" {
		s.Kind = "base"
	}
	return s
}

// Both ends of a pair use the same weight and the mean stays, whatever the schedule and the speeds.
func TestSchedulesKeepTheMean(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(2, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		s := drawSpec(r, n)
		w := newNetwork(t, pairsOf(t, s, n), Options{Recipe: "dpsgd", Schedule: s}, spread)
		w.step = jitter(root, map[Peer]float64{"b": rapid.Float64Range(1, 6).Draw(r, "slow")})
		w.latency = delays(root, 300)
		w.check = func(p Peer, _ *Machine, _ Event, effects []Effect) { checkMixes(r, p, effects) }
		before := mean(w)
		w.run(30_000)
		w.drain(r)
		for key, weight := range w.weights {
			if back := w.weights[edgeRound{key.round, key.to, key.from}]; back != weight {
				r.Fatalf("round %d: %s weighs %s by %v, back %v", key.round, key.from, key.to, weight, back)
			}
		}
		for i, f := range mean(w) {
			if math.Abs(f-before[i]) > 1e-5*(1+math.Abs(before[i])) {
				r.Fatalf("mean moved from %v to %v", before, mean(w))
			}
		}
	})
}

// Nobody hangs: peers die, links flap, lists change.
func TestSchedulesGoOn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(3, 8).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		s := drawSpec(r, n)
		w := newNetwork(t, pairsOf(t, s, n), Options{Recipe: "dpsgd", Schedule: s}, spread)
		w.step = jitter(root, map[Peer]float64{"b": rapid.Float64Range(0.3, 5).Draw(r, "slow")})
		w.latency = delays(root, 800)
		flap(w, root, rapid.IntRange(0, 6).Draw(r, "flaps"))
		if rapid.Bool().Draw(r, "leaves") {
			w.call(30_000, func() {
				w.kill("c", 3000)
				rest := topology.New(n - 1)
				keep := slices.DeleteFunc(slices.Clone(w.names), func(p Peer) bool { return p == "c" })
				for _, e := range w.graph.Edges() {
					u, v := slices.Index(keep, w.names[e.U]), slices.Index(keep, w.names[e.V])
					if u >= 0 && v >= 0 {
						if err := rest.Add(u, v, 1); err != nil {
							r.Fatal(err)
						}
					}
				}
				for i, p := range keep {
					w.at(w.now+Time(1000*i), p, Rewired{Epoch: 1, Members: keep, Graph: rest})
				}
			})
		}
		w.run(100_000)
		before := map[Peer]uint64{}
		for p, m := range w.peers {
			before[p] = m.Round()
		}
		w.run(w.now + 100_000)
		for p, m := range w.peers {
			if !w.dead[p] && m.Round() < before[p]+5 {
				r.Fatalf("%s: %s closed %d rounds in 100 steps' time", s.Kind, p, m.Round()-before[p])
			}
		}
	})
}

// A lost estimate is sent again, or a later one in its place, although its receiver is no mate any more.
func TestSchedulesBearLosses(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(2, 8).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		s := drawSpec(r, n)
		w := newNetwork(t, pairsOf(t, s, n), Options{Recipe: "dpsgd", Schedule: s}, spread)
		slow := jitter(root, map[Peer]float64{"b": rapid.Float64Range(0.3, 5).Draw(r, "slow")})
		w.step = func(p Peer, block uint64) Duration { return 1e5 * slow(p, block) } // a retry takes a tenth of a second
		random := seed.Stream(root, "lose")
		share := rapid.Float64Range(0, 0.3).Draw(r, "loss")
		w.lose = func(Peer, Peer) bool { return random.Float64() < share }
		w.run(200e8)
		for p, m := range w.peers {
			if m.Round() < 10 {
				r.Fatalf("%s: %s closed %d rounds in 200 steps' time", s.Kind, p, m.Round())
			}
		}
	})
}

// Peers that everybody knows to be slow are spread over the groups, from the roster of the list.
func TestGroupsSpreadTheSlow(t *testing.T) {
	o := Options{Recipe: "dpsgd", Schedule: topology.ScheduleSpec{Kind: "groups", Size: 4}}
	w := newNetwork(t, pairsOf(t, o.Schedule, 8), o, func(_ int, c *Config) { c.Slow = []Peer{"a", "f"} })
	w.learn = towards(0.02, map[Peer][]float32{
		"a": {8, 0}, "b": {0, 0}, "c": {0, 0}, "d": {0, 0}, "e": {0, 8}, "f": {0, 0}, "g": {0, 0}, "h": {0, 0},
	})
	w.step = jitter(2, map[Peer]float64{"a": 4, "f": 4})
	together := 0
	w.check = func(p Peer, _ *Machine, _ Event, effects []Effect) {
		for _, e := range effects {
			if mixed, ok := e.(Mixed); ok && p == "a" {
				for _, s := range mixed.Used {
					if s.Peer == "f" {
						together++
					}
				}
			}
		}
	}
	w.run(2_000_000)
	if together > 0 {
		t.Errorf("the two slow peers were in one group %d times", together)
	}
	// What a slow peer alone has is in the average like that of the others.
	for d, got := range mean(w) {
		if math.Abs(got-1) > 0.05 {
			t.Errorf("mean %v in dimension %d, want 1", got, d)
		}
	}
}

// A list that does not suit the schedule, or a graph that lacks pairs of it, falls back to all neighbours.
func TestScheduleWithHolesIsNone(t *testing.T) {
	for _, kind := range []string{"one-peer-exponential", "base", "cells", "groups"} {
		v := view{}
		v.rewire("a", Rewired{Members: letters(7), Graph: ring(7, 1)})
		plan := planFor(topology.ScheduleSpec{Kind: kind}, &v)
		for round := range uint64(4) {
			if mates := plan.Mates(0, round); len(mates) != 2 {
				t.Errorf("%s over a ring of seven: mates %v in round %d", kind, mates, round)
			}
		}
	}
}

func TestComposeOfSchedules(t *testing.T) {
	for _, c := range []struct {
		recipe, kind string
		n            int
		want         string
	}{
		{"quorum", "base", 8, "schedule base needs rounds in step"},
		{"pulse", "matching", 8, "use recipe dpsgd"},
		{"dybw", "matching", 8, "use recipe dpsgd"},
		{"dpsgd", "ring", 8, `"ring" is not one of one-peer-exponential, base, matching, cells, groups`},
		{"dpsgd", "one-peer-exponential", 7, "use 8 peers, or schedule base"},
		{"dpsgd", "one-peer-exponential", 8, ""},
		{"barrier", "matching", 5, ""},
	} {
		_, err := Compose(Options{Recipe: c.recipe, Schedule: topology.ScheduleSpec{Kind: c.kind}}, ring(c.n, 1))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: got %v, want %q", c.recipe, c.kind, err, c.want)
		}
	}
	d, _ := LookupRecipe("dpsgd")
	q, _ := LookupRecipe("quorum")
	named := func(o Option) bool { return o.Name == "schedule" }
	if !slices.ContainsFunc(d.Options, named) || slices.ContainsFunc(q.Options, named) {
		t.Error("dpsgd reads schedules and quorum does not")
	}
}
