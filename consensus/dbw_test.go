package consensus

import (
	"math"
	"testing"

	"github.com/starling-ml/starling/internal/seed"
)

// The paper's gain, (eta - L eta^2/2) G2 - (L eta^2/2) V/k, in units of eta/2 and with L eta = 1.
func TestGain(t *testing.T) {
	for _, c := range []struct {
		squared, variance float64
		heard             int
		want              float64
	}{
		{4, 0, 3, 4}, {4, 8, 0, -4}, {4, 8, 3, 2}, {0, 8, 7, -1},
	} {
		if got := gain(c.squared, c.variance, c.heard); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("gain of %+v is %v", c, got)
		}
	}
}

// The paper's behaviour: with a gradient that is large against its noise few are waited for, near the optimum many,
// and all when no step gains anything.
func TestNoiseDecidesForHowManyToWait(t *testing.T) {
	times := []Duration{200, 400, 700, 1100, 2000}
	choose := func(squared, variance float64) int {
		return bestCount(1000, times, func(heard int) float64 { return gain(squared, variance, heard) })
	}
	early, late, lost := choose(10, 1), choose(1, 2.5), choose(0, 1)
	if early != 1 || late <= 2 || late == len(times) || lost != len(times) {
		t.Errorf("waits for %d, %d and %d", early, late, lost)
	}
}

// The paper's estimators, N = max(|g|^2 - V/k, 0) and V, are unbiased where gradient and noise are known.
func TestMomentsOfUpdates(t *testing.T) {
	const dimension, trials, noise = 50, 400, 0.3
	stream := seed.Stream(1, "updates")
	var squared, variance float64
	for range trials {
		var d dbw
		for range recent {
			u := make([]float32, dimension)
			for i := range u {
				u[i] = float32(0.5 + noise*stream.NormFloat64())
			}
			d.updates = append(d.updates, u)
		}
		s, v := d.moments()
		squared, variance = squared+s/trials, variance+v/trials
	}
	if want := 0.25 * dimension; math.Abs(squared-want) > 0.03*want {
		t.Errorf("G2 is estimated at %.3f, it is %.3f", squared, want)
	}
	if want := noise * noise * float64(dimension); math.Abs(variance-want) > 0.03*want {
		t.Errorf("V is estimated at %.3f, it is %.3f", variance, want)
	}
}

// The paper's claim: fewer neighbours are waited for early on than near the optimum. Ours: one more when the loss
// has risen.
func TestWaitsForMoreNearTheOptimum(t *testing.T) {
	const dimension = 100
	w := newNetwork(t, ring(9, 4), Options{Recipe: "dbw"}, func(_ int, c *Config) {
		c.Params = make([]float32, dimension)
		for i := range c.Params {
			c.Params[i] = 30
		}
	})
	stream := seed.Stream(4, "noise")
	w.learn = func(_ Peer, x []float32, steps int) {
		for range steps {
			for i := range x {
				x[i] += 0.02*(0-x[i]) + float32(0.02*stream.NormFloat64())
			}
		}
	}
	w.step = func(Peer, uint64) Duration { return 300 + Duration(700*stream.ExpFloat64()) }
	var early, late, earlyCount, lateCount float64
	w.check = func(_ Peer, m *Machine, _ Event, effects []Effect) {
		for _, e := range effects {
			if mixed, ok := e.(Mixed); ok && mixed.Round > 10 && mixed.Round < 80 {
				early, earlyCount = early+float64(mixed.Waited), earlyCount+1
			} else if ok && mixed.Round > 150 {
				late, lateCount = late+float64(mixed.Waited), lateCount+1
			}
		}
	}
	w.run(900_000)
	early, late = early/earlyCount, late/lateCount
	t.Logf("waits %.0f us early, %.0f late", early, late)
	if lateCount == 0 || late <= 2*early {
		t.Errorf("waits %.0f us early on and %.0f near the optimum", early, late)
	}
}

func TestRisingLossWaitsForOneMore(t *testing.T) {
	m := forecaster(t, 6, memory, laws["exponential"])
	for rising, more := range map[bool]bool{false: false, true: true} {
		d := &dbw{last: 5, loss: [2]float64{1, 1}}
		if rising {
			d.loss[0] = 1.1
		}
		d.begin(m)
		if got := d.need == 6; got != more {
			t.Errorf("loss rising %v: waits for %d after 5", rising, d.need)
		}
	}
}
