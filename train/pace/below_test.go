package pace

import (
	"math"
	"testing"
	"time"

	"github.com/starling-ml/starling/internal/seed"
)

// What Below says of every law is what a clock draws.
func TestBelowIsTheLawOfTheClock(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]Law{
		"constant": {}, "jitter": {Jitter: .3, Factor: 4}, "exponential": {Kind: "exponential"},
		"shifted": {Kind: "shifted", Fixed: .8, Tail: .2}, "shifted without a tail": {Kind: "shifted", Fixed: 2},
		"occasional": {Kind: "occasional", Probability: .1, Times: 10, Jitter: .1}, "trace": {Kind: "trace"},
		"rarely fast": {Kind: "occasional", Probability: .2, Times: .5},
	} {
		l.Step = 20 * time.Millisecond
		clock, err := NewClock(l, seed.Stream(1, name))
		if err != nil {
			t.Fatal(err)
		}
		const draws = 20_000
		sum, low, high := 0.0, math.Inf(1), 0.0
		marks := []float64{.012, .018, .02, .023, .05, .19, .3}
		count := make([]float64, len(marks))
		for range draws {
			took := clock.Next().Seconds()
			sum, low, high = sum+took, min(low, took), max(high, took)
			for i, m := range marks {
				if took <= m {
					count[i]++
				}
			}
		}
		if mean := l.Mean(); math.Abs(sum/draws-mean) > .02*mean {
			t.Errorf("%s: the mean is %.5f, and Mean says %.5f", name, sum/draws, mean)
		}
		if shortest, longest := l.Range(); low < shortest-1e-8 || high > longest+1e-8 {
			t.Errorf("%s: steps take %g to %g, and Range says %g to %g", name, low, high, shortest, longest)
		}
		for i, m := range marks {
			if math.Abs(count[i]/draws-l.Below(m)) > .015 {
				t.Errorf("%s: %.3f of the steps take at most %g s, and Below says %.3f", name, count[i]/draws, m, l.Below(m))
			}
		}
	}
}
