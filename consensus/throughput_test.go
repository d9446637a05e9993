package consensus

import (
	"fmt"
	"math"
	"testing"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// One of eight peers is ten times slower. Who does not wait for it does 7.1 steps in the time of one
// normal step, who waits 0.8.
func TestStepsPerUnitWithOneSlowPeer(t *testing.T) {
	for name, c := range map[string]struct {
		o        Options
		at       float64
		relative float64
	}{
		"dpsgd":  {Options{Recipe: "dpsgd"}, 0.8, 0.04},
		"quorum": {Options{Recipe: "quorum", Quorum: 2}, 7.1, 0.04},
		"fresh":  {Options{Recipe: "quorum", Quorum: 2, Mix: Fresh}, 7.1, 0.04},
		"pulse":  {Options{Recipe: "pulse", Quorum: 2}, 7.1, 0.04},
	} {
		w := newNetwork(t, ring(8, 2), c.o, nil)
		w.step = jitter(3, map[Peer]float64{"d": 10})
		w.mixing = func(p Peer) Duration {
			if p == "d" {
				return 200
			}
			return 20
		}
		w.latency = func(Peer, Peer) Duration { return 5 }
		w.sending = 100
		w.run(400_000)
		steps := uint64(0)
		for _, m := range w.peers {
			steps += m.Steps()
		}
		if got := float64(steps) / 400; math.Abs(got/c.at-1) > c.relative {
			t.Errorf("%s: %.3f steps a unit, want %.2f", name, got, c.at)
		}
	}
}

// Mean duration of a round of the threshold rule relative to a global barrier: six peers, a ring with
// three chords, exponential steps (other graphs and paths for trees: abort .373, carry .689, skip .378).
func TestRoundTimesOfTheThresholdRule(t *testing.T) {
	g := ring(6, 1)
	for _, e := range [][2]int{{0, 3}, {1, 4}, {2, 5}} {
		if err := g.Add(e[0], e[1], 1); err != nil {
			t.Fatal(err)
		}
	}
	full := roundTime(t, g, Options{Recipe: "barrier"})
	if want := 1e6 * (1 + 1./2 + 1./3 + 1./4 + 1./5 + 1./6); math.Abs(full/want-1) > 0.06 {
		t.Errorf("barrier: %.0f, the expected maximum of six is %.0f", full, want)
	}
	for late, want := range map[Late]float64{Abort: 0.373, Carry: 0.689, Skip: 0.378} {
		if got := roundTime(t, g, Options{Recipe: "dybw", Late: late}) / full; math.Abs(got/want-1) > 0.15 {
			t.Errorf("late %s: %.3f of a barrier, want %.3f", late, got, want)
		}
	}
	if got := roundTime(t, g, Options{Recipe: "dpsgd"}) / full; got > 0.98 || got < 0.85 {
		t.Errorf("a local barrier takes %.3f of a global one, want about .92", got)
	}
}

func roundTime(t *testing.T, g *topology.Graph, o Options) float64 {
	const rounds = 600
	w := newNetwork(t, g, o, nil)
	w.step = func(p Peer, block uint64) Duration {
		u := seed.Stream(5, "exp", string(p), fmt.Sprint(block)).Float64()
		return Duration(-1e6*math.Log(1-u)) + 1
	}
	w.latency = func(Peer, Peer) Duration { return 1 }
	w.sending = 1
	done := Time(0)
	w.check = func(_ Peer, m *Machine, _ Event, _ []Effect) {
		if m.Round() >= rounds && done == 0 {
			done = w.now
		}
	}
	for until := Time(0); done == 0; {
		until += 100_000_000
		w.run(until)
	}
	return float64(done) / rounds
}
