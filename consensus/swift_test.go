package consensus

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The paper's claim: nobody ever waits, whoever is slow, dead or far away.
func TestSwiftNeverWaits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(1, 8).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		w := newNetwork(t, randomGraph(root, n), Options{Recipe: "swift"}, nil)
		w.step = jitter(root, map[Peer]float64{"b": rapid.Float64Range(1, 10).Draw(r, "slow")})
		w.latency = delays(root, rapid.IntRange(1, 5000).Draw(r, "delay"))
		w.call(5000, func() { w.kill(w.names[n-1], 40_000) })
		w.check = func(p Peer, m *Machine, ev Event, effects []Effect) {
			closed, began := 0, 0
			for _, e := range effects {
				switch e := e.(type) {
				case Mixed:
					closed++
					if e.Waited != 0 || e.WaitedFor != "" {
						r.Fatalf("%s waited %d for %q", p, e.Waited, e.WaitedFor)
					}
				case Train:
					began++
				}
			}
			if _, ended := ev.(Trained); ended && (closed != 1 || began != 1) {
				r.Fatalf("%s closed %d rounds and began %d blocks at the end of one", p, closed, began)
			}
			if m.phase == waiting {
				r.Fatalf("%s waits after %s", p, ev)
			}
		}
		w.run(40_000)
	})
}

// Every mix takes the newest estimate of every live neighbour, by the same weight whatever its age;
// inverse-age damps what is old.
func TestSwiftMixesEverybodysLatest(t *testing.T) {
	oldest := func(o Options) (least, most float32) {
		least = 1
		w := newNetwork(t, ring(5, 1), o, nil)
		w.step = jitter(1, map[Peer]float64{"b": 9})
		w.check = func(p Peer, m *Machine, _ Event, effects []Effect) {
			for _, e := range effects {
				mixed, ok := e.(Mixed)
				if !ok {
					continue
				}
				if len(mixed.Used) != 2 || len(mixed.Missing) != 0 {
					t.Errorf("%s mixed with %v", p, mixed.Used)
				}
				for _, s := range mixed.Used {
					if n := m.view.find(s.Peer); s.Seq != n.replica.Seq {
						t.Errorf("%s mixed seq %d of %s, it has %d", p, s.Seq, s.Peer, n.replica.Seq)
					}
					least, most = min(least, s.Weight), max(most, s.Weight)
				}
			}
		}
		w.run(50_000)
		return least, most
	}
	if least, most := oldest(Options{Recipe: "swift"}); least != most {
		t.Errorf("constant weights are %v to %v", least, most)
	}
	if least, most := oldest(Options{Recipe: "swift", Weights: InverseAge}); least > most/3 {
		t.Errorf("inverse-age weights are %v to %v", least, most)
	}
}

// Ours: with constant weights the optimum stays where it is although one peer updates four times less,
// and that peer alone has another optimum. Damped by age the slow peer's data weigh less, never nothing.
func TestSwiftKeepsSlowPeersData(t *testing.T) {
	constant := settledMean(t, Options{Recipe: "swift"}, 4)
	damped := settledMean(t, Options{Recipe: "swift", Weights: InverseAge}, 4)
	if math.Abs(constant-1) > 0.1 {
		t.Errorf("the average estimate settles at %.3f, the optimum is 1", constant)
	}
	if damped < 0.4 || damped > constant+0.02 {
		t.Errorf("damped by age it settles at %.3f, with constant weights at %.3f", damped, constant)
	}
}

// settledMean is where the average estimate of six peers ends, averaged over time. Peer b alone pulls to
// 6, the others to 0, and it is slower by a factor; the optimum of all is 1.
func settledMean(t *testing.T, o Options, slower float64) float64 {
	t.Helper()
	w := newNetwork(t, ring(6, 2), o, func(_ int, c *Config) { c.Params, c.Seed = []float32{1}, 5 })
	w.step = jitter(2, map[Peer]float64{"b": slower})
	points := map[Peer][]float32{}
	for _, p := range w.names {
		points[p] = []float32{0}
	}
	points["b"] = []float32{6}
	w.learn = towards(0.02, points)
	sum, readings := 0.0, 0
	for at := Time(400_000); at < 1_200_000; at += 1700 {
		w.run(at)
		readings++
		for _, p := range w.names {
			sum += float64(w.peers[p].Params()[0]) / float64(len(w.names))
		}
	}
	return sum / float64(readings)
}

// Quasi-global momentum goes with it: peers that agree on the way get there sooner.
func TestSwiftWithMomentumIsFaster(t *testing.T) {
	gap := func(momentum float64) float64 {
		w := newNetwork(t, ring(6, 1), Options{Recipe: "swift", Momentum: momentum}, nil)
		w.step = jitter(4, map[Peer]float64{"c": 3})
		points := map[Peer][]float32{}
		for _, p := range w.names {
			points[p] = []float32{10, -10}
		}
		w.learn = towards(0.02, points)
		w.run(30_000)
		return math.Abs(mean(w)[0] - 10)
	}
	if with, without := gap(0.5), gap(0); with > 0.9*without {
		t.Errorf("after 30 blocks %.3f are left with momentum, %.3f without", with, without)
	}
}
