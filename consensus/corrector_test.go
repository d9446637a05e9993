package consensus

import (
	"math"
	"slices"
	"testing"
)

// pull runs peers that each pull to a point of their own and returns the mean of all estimates, and
// how far they are apart.
func pull(t *testing.T, o Options, factor float64, until Time) (mean, apart float64) {
	w := newNetwork(t, ring(6, 2), o, func(_ int, c *Config) { c.Params = []float32{0} })
	w.step = jitter(2, map[Peer]float64{"a": factor})
	w.learn = towards(0.02, map[Peer][]float32{"a": {6}, "b": {0}, "c": {0}, "d": {0}, "e": {0}, "f": {0}})
	sum, count := 0.0, 0
	w.check = func(Peer, *Machine, Event, []Effect) {
		if w.now < until/2 {
			return
		}
		least, most := math.Inf(1), math.Inf(-1)
		for _, m := range w.peers {
			x := float64(m.Params()[0])
			sum, count = sum+x, count+1
			least, most = min(least, x), max(most, x)
		}
		apart = max(apart, most-least)
	}
	w.run(until)
	return sum / float64(count), apart
}

// Six peers pull to 6, 0, 0, 0, 0, 0; the optimum is 1. One that is always four times slower pulls
// less under skip, and is given its weight back by the participation correction.
func TestParticipationRestoresTheOptimum(t *testing.T) {
	full, _ := pull(t, Options{Recipe: "dpsgd"}, 4, 3_000_000)
	skip, _ := pull(t, Options{Recipe: "dybw"}, 4, 2_000_000)
	corrected, _ := pull(t, Options{Recipe: "dybw", Participation: true}, 4, 2_000_000)
	if math.Abs(full-1) > 0.03 {
		t.Errorf("everybody waits: %.3f, want 1", full)
	}
	if skip > 0.7 {
		t.Errorf("skip: %.3f, want clearly less than 1", skip)
	}
	if math.Abs(corrected-1) > 0.1 {
		t.Errorf("participation: %.3f, want 1", corrected)
	}
}

// Replicas of everybody keep the optimum whoever is slow; so do held pieces.
func TestLatestKeepsTheOptimum(t *testing.T) {
	for _, o := range []Options{{Recipe: "quorum", Weights: Constant}, {Recipe: "pulse"}} {
		if got, _ := pull(t, o, 4, 2_000_000); math.Abs(got-1) > 0.25 {
			t.Errorf("%s: %.3f, want 1", o.Recipe, got)
		}
	}
	if got, _ := pull(t, Options{Recipe: "quorum", Mix: Fresh, Weights: Constant}, 4, 2_000_000); got > 0.7 {
		t.Errorf("fresh: %.3f, want clearly less than 1", got)
	}
}

// Quasi-global momentum reaches the optimum, and sooner.
func TestMomentumSpeedsUp(t *testing.T) {
	for _, recipe := range []string{"dpsgd", "quorum"} {
		plain, _ := pull(t, Options{Recipe: recipe}, 1, 60_000)
		fast, _ := pull(t, Options{Recipe: recipe, Momentum: 0.5}, 1, 60_000)
		final, _ := pull(t, Options{Recipe: recipe, Momentum: 0.5}, 1, 2_000_000)
		if fast < plain+0.05 {
			t.Errorf("%s: after 60 steps %.3f with momentum, %.3f without", recipe, fast, plain)
		}
		if math.Abs(final-1) > 0.05 {
			t.Errorf("%s: ends at %.3f, want 1", recipe, final)
		}
	}
}

// A wait that is limited gives up: a live neighbour that never publishes stops nobody.
func TestTimeoutGivesUp(t *testing.T) {
	for name, o := range every() {
		if o.Recipe == "pulse" {
			continue // has a limit of its own
		}
		o.TimeoutFactor, o.Timeout = 5, 20_000
		w := newNetwork(t, ring(5, 1), o, nil)
		w.step = func(p Peer, _ uint64) Duration {
			if p == "b" {
				return 1 << 50
			}
			return 1000
		}
		w.run(400_000)
		for _, p := range w.names {
			if p != "b" && w.peers[p].Round() < 20 {
				t.Errorf("%s: %s closed %d rounds beside a silent neighbour", name, p, w.peers[p].Round())
			}
		}
	}
}

// Estimates that are lost on a link that stays up are sent again where rounds wait for them.
func TestLostEstimatesAreSentAgain(t *testing.T) {
	for name, o := range every() {
		w := newNetwork(t, ring(4, 1), o, nil)
		scale := Second
		w.step = func(Peer, uint64) Duration { return scale }
		count := 0
		w.lose = func(_, _ Peer) bool { count++; return count%7 == 0 }
		w.run(Time(60 * scale))
		for p, m := range w.peers {
			if m.Round() < 10 {
				t.Errorf("%s: %s closed %d rounds of about 30", name, p, m.Round())
			}
		}
	}
}

// Splitting a mix over cores gives the same bits.
func TestSplitMixesTheSameBits(t *testing.T) {
	run := func(split func(n int, run func(lo, hi int))) []float32 {
		w := newNetwork(t, ring(5, 1), Options{Recipe: "quorum"}, func(i int, c *Config) {
			c.Params = make([]float32, 1000)
			for k := range c.Params {
				c.Params[k] = float32(math.Sin(float64(i*k))) / 3
			}
			c.Split = split
		})
		w.run(20_000)
		return w.peers["c"].Params()
	}
	halves := func(n int, run func(lo, hi int)) { run(n/3, n); run(0, n/3) }
	if !slices.Equal(run(nil), run(halves)) {
		t.Error("the bits differ")
	}
}

func BenchmarkStep(b *testing.B) {
	for _, recipe := range []string{"pulse", "quorum", "dpsgd", "dybw"} {
		b.Run(recipe, func(b *testing.B) {
			w := newNetwork(b, ring(16, 2), Options{Recipe: recipe}, nil)
			w.step = jitter(1, map[Peer]float64{"d": 10})
			var all []struct {
				at Time
				ev Event
			}
			c := w.peers["d"].config
			w.check = func(p Peer, _ *Machine, ev Event, _ []Effect) {
				if p == "d" {
					all = append(all, struct {
						at Time
						ev Event
					}{w.now, ev})
				}
			}
			w.run(2_000_000)
			b.ReportAllocs()
			events := 0
			for b.Loop() {
				m, err := New(c)
				if err != nil {
					b.Fatal(err)
				}
				for _, e := range all {
					m.Step(e.at, e.ev)
				}
				events += len(all)
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}
