package consensus

import (
	"math"
	"slices"
	"testing"
)

// divided is a network of six in which peer a is so many times slower and the work is divided by speed.
func divided(t *testing.T, recipe string, factor float64) *network {
	t.Helper()
	w := newNetwork(t, ring(6, 2), Options{Recipe: recipe, Share: BySpeed}, func(_ int, c *Config) {
		c.Params = []float32{0}
	})
	w.step = func(p Peer, _ uint64) Duration {
		if p == "a" {
			return Duration(1000 * factor)
		}
		return 1000
	}
	w.learn = towards(0.02, map[Peer][]float32{"a": {6}, "b": {0}, "c": {0}, "d": {0}, "e": {0}, "f": {0}})
	return w
}

// sharesOf asks every machine for its share.
func sharesOf(w *network) []Share {
	var all []Share
	for _, name := range w.names {
		m := w.peers[name]
		all = append(all, m.division.next(m))
	}
	return all
}

// The paper's claim (DBS, 2007.11831): with batches in proportion to speed, nobody waits for the slow one, and
// a round takes N / (sum of speeds).
func TestDividedWorkTakesEverybodyTheSameTime(t *testing.T) {
	t.Parallel()
	const rounds = 500
	for _, factor := range []float64{1, 4, 10} {
		w := divided(t, "dpsgd", factor)
		w.latency = func(Peer, Peer) Duration { return 0 }
		limit := 1000 * 6 / (5 + 1/factor)
		w.run(Time(rounds * limit))
		if got := float64(w.peers["b"].Round()); got < 0.95*rounds || got > 1.01*rounds {
			t.Errorf("one %v times slower: %v rounds in the time of %v at the speed of all together", factor, got, rounds)
		}
	}
}

// Ours: an update counts as much as its batch, so the optimum is that of the pool whoever is slow.
func TestDividedWorkKeepsTheOptimum(t *testing.T) {
	t.Parallel()
	for _, recipe := range []string{"dpsgd", "quorum", "pulse", "d2", "sgp", "swift", "choco"} {
		got, _ := pull(t, Options{Recipe: recipe, Share: BySpeed}, 4, 1_000_000)
		t.Logf("%s: %.3f", recipe, got)
		if math.Abs(got-1) > 0.1 {
			t.Errorf("%s: %.3f, want 1", recipe, got)
		}
	}
}

// Everybody computes the same division from what was flooded: shares follow one another and are all of the
// pool.
func TestEverybodyComputesTheSameShares(t *testing.T) {
	t.Parallel()
	w := divided(t, "quorum", 3)
	w.run(300_000)
	before, told := 0.0, w.peers["a"].division.told
	for i, s := range sharesOf(w) {
		m := w.peers[w.names[i]]
		if math.Abs(s.From-before) > 1e-12 || math.Abs(s.Batch-6*s.Size) > 1e-12 {
			t.Errorf("peer %s has %+v, and the one before ends at %v", w.names[i], s, before)
		}
		before = s.From + s.Size
		for name, speed := range told {
			if m.division.told[name] != speed {
				t.Errorf("%s takes %s for %v, and a for %v", w.names[i], name, m.division.told[name], speed)
			}
		}
	}
	if math.Abs(before-1) > 1e-9 {
		t.Errorf("the last share ends at %v", before)
	}
	if s := sharesOf(w)[0]; math.Abs(s.Batch-6/(5*3+1.0)) > 0.02 {
		t.Errorf("a peer three times slower than five others does %v of the usual work", s.Batch)
	}
}

// A speed that goes up and down a little is not flooded again; one that changes for good is.
func TestSpeedsAreDamped(t *testing.T) {
	t.Parallel()
	w := divided(t, "dpsgd", 1)
	w.step = jitter(7, nil)
	w.run(1_000_000)
	if said := w.sent["Speed"]; said > 6*24*3 { // six peers, 24 links
		t.Errorf("steps vary a little, and %d messages tell of it", said)
	}
	slower := w.step
	w.step = func(p Peer, block uint64) Duration {
		if p == "c" {
			return 5 * slower(p, block)
		}
		return slower(p, block)
	}
	w.run(1_400_000)
	if s := sharesOf(w)[2]; math.Abs(s.Batch-6/(5*5+1.0)) > 0.06 {
		t.Errorf("a peer that became five times slower does %v of the usual work", s.Batch)
	}
}

// A peer that comes back without its state tells its speed anew, and one that claims to be infinitely fast
// gets no more than its bound.
func TestLostStateAndAbsurdSpeeds(t *testing.T) {
	t.Parallel()
	w := divided(t, "dpsgd", 1)
	w.run(50_000)
	m := w.peers["b"]
	m.division = &division{told: map[Peer]Speed{}, stale: true}
	m.Step(w.now, Received{From: "a", Message: Speed{Epoch: m.view.epoch, Peer: "b", Version: 9, StepTime: 5000}})
	if m.division.told["b"].Version != 9 {
		t.Error("what others know of this peer is not taken before it has measured anything")
	}
	m.division.unit, m.division.measured = 1000, 1
	wrong := Speed{Epoch: m.view.epoch, Peer: "b", Version: 12, StepTime: 5000}
	effects := m.Step(w.now, Received{From: "a", Message: wrong})
	said := slices.ContainsFunc(effects, func(e Effect) bool {
		s, ok := e.(Send)
		return ok && s.Message == Speed{Epoch: m.view.epoch, Peer: "b", Version: 13, StepTime: 1000}
	})
	if !said {
		t.Errorf("a peer does not correct what is said of it: %v", effects)
	}
	for _, wrong := range []Speed{
		{Peer: "a", Version: 1 << 40, StepTime: 0},
		{Peer: "b", Version: math.MaxUint64, StepTime: 1},
		{Peer: "z", Version: 1, StepTime: 1},
	} {
		before := len(m.division.told)
		m.Step(w.now, Received{From: "a", Message: wrong})
		if len(m.division.told) != before || m.division.told["b"].Version != 13 {
			t.Errorf("%v is taken", wrong)
		}
	}
	for _, name := range w.names {
		m.division.note(Speed{Peer: name, Version: 99, StepTime: 1000})
	}
	m.division.note(Speed{Peer: "c", Version: 100, StepTime: 1})
	if s := m.division.next(m); s.Batch < 6/(mostUnlike+5.0)-1e-9 {
		t.Errorf("a peer that claims to be a thousand times faster leaves %v of the work", s.Batch)
	}
}
