package consensus

import (
	"math"
	"strings"
	"testing"

	"github.com/starling-ml/starling/topology"
)

// sixth is the data of six peers of which a pulls to 6 and the others to 0; the optimum is 1.
var sixth = map[Peer][]float32{"a": {6}, "b": {0}, "c": {0}, "d": {0}, "e": {0}, "f": {0}}

// exactly fails unless all estimates settle at the optimum together, with peer a so many times slower.
func exactly(t *testing.T, o Options, factor, tolerance float64) {
	t.Helper()
	got, apart := pull(t, o, factor, 3_000_000)
	if math.Abs(got-1) > tolerance || apart > tolerance {
		t.Errorf("%s, %v times slower: %.6f and %.6f apart, want 1 and nothing within %v",
			describe(o), factor, got, apart, tolerance)
	}
}

func TestComposeOfCorrections(t *testing.T) {
	matching := topology.ScheduleSpec{Kind: "matching"}
	for want, o := range map[string]Options{
		"same weights in all rounds": {Recipe: "d2", Schedule: matching},
		"conserved sums":             {Recipe: "gt", Robust: NNA},
		"rounds in step":             {Recipe: "gt", RunningSums: true, Schedule: matching},
		"sums":                       {Recipe: "sgp", Robust: Trim},
		"whole":                      {Recipe: "d2", Momentum: 0.5},
	} {
		if _, err := Compose(o, ring(6, 2)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", describe(o), err, want)
		}
	}
	if _, err := Compose(Options{Recipe: "gt", Schedule: matching}, ring(6, 2)); err != nil {
		t.Error(err)
	}
}

// A peer that dies takes its correction with it. The others notice, agree on a round in which all forget theirs,
// and settle at the optimum of those that are left.
func TestCorrectionsStartAgainWithoutTheDead(t *testing.T) {
	for _, o := range []Options{{Recipe: "d2"}, {Recipe: "gt", LocalSteps: 2}, {Recipe: "gt", RunningSums: true}} {
		w := newNetwork(t, ring(6, 2), o, func(_ int, c *Config) { c.Params = []float32{0} })
		w.step = jitter(2, nil)
		w.learn = towards(0.02, map[Peer][]float32{"a": {6}, "b": {0}, "c": {4}, "d": {0}, "e": {0}, "f": {0}})
		w.call(200_000, func() { w.kill("a", 3000) })
		left := []Peer{"b", "c", "d", "e", "f"}
		for i, p := range left {
			w.at(Time(210_000+700*i), p, Rewired{Epoch: 1, Members: left, Graph: ring(5, 2)})
		}
		w.run(2_000_000)
		for _, p := range left {
			if got := float64(w.peers[p].Params()[0]); math.Abs(got-0.8) > 2e-3 {
				t.Errorf("%s: %s is at %.5f, want 0.8", o.Recipe, p, got)
			}
		}
	}
}
