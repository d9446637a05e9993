package consensus

import (
	"math"
	"testing"

	"github.com/starling-ml/starling/topology"
)

// VRL-SGD and K-GT: the drift of local steps is gone, which dpsgd with as many keeps.
func TestTrackingRemovesTheDriftOfLocalSteps(t *testing.T) {
	for _, steps := range []int{1, 4, 16} {
		exactly(t, Options{Recipe: "gt", LocalSteps: steps}, 1, 1e-3)
	}
	exactly(t, Options{Recipe: "gt", Schedule: topology.ScheduleSpec{Kind: "matching"}}, 1, 1e-3)
	if _, apart := pull(t, Options{Recipe: "dpsgd", LocalSteps: 4}, 1, 1_500_000); apart < 0.4 {
		t.Errorf("dpsgd with four local steps leaves its peers %.4f apart", apart)
	}
}

// R-FAST: exact without waiting, whoever is slow, and with a fifth of all estimates lost.
func TestRunningSumsAreExact(t *testing.T) {
	measured(t)
	sums := Options{Recipe: "gt", RunningSums: true}
	for _, factor := range []float64{1, 4, 10} {
		exactly(t, sums, factor, 1e-4)
	}
	for _, silent := range []bool{false, true} {
		w := newNetwork(t, ring(6, 2), sums, func(_ int, c *Config) { c.Params = []float32{0} })
		w.step, w.learn = jitter(2, map[Peer]float64{"a": 4}), towards(0.02, sixth)
		count := 0
		lose := func(Peer, Peer) bool { count++; return count%5 == 0 }
		if silent {
			w.vanish = lose
		} else {
			w.lose = lose
		}
		w.run(3_000_000)
		for p, m := range w.peers {
			if got := float64(m.Params()[0]); math.Abs(got-1) > 1e-3 {
				t.Errorf("a fifth lost, silently %v: %s is at %.5f, want 1", silent, p, got)
			}
		}
	}
}

// K-GT's equations: K corrected local steps, what the neighbourhood did more is learned, and the estimates are mixed.
func TestTrackingFollowsKGT(t *testing.T) {
	for _, steps := range []int{1, 3} {
		s := make(table, 6)
		follows(t, Options{Recipe: "gt", LocalSteps: steps}, func(x table) table {
			y := x
			for range steps {
				y = y.plus(1, y.step()).plus(1, s)
			}
			moved := y.plus(-1, x)
			s = s.plus(1/float64(steps), moved.times(ring(6, 2), false).plus(-1, moved))
			return y.times(ring(6, 2), false)
		})
	}
}
