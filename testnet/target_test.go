package testnet

import (
	"math"
	"testing"
)

func TestTimeTo(t *testing.T) {
	t.Parallel()
	readings := []Reading{
		{At: 0, Loss: 2.0, Accuracy: 0.10},
		{At: 1, Loss: 1.0, Accuracy: 0.70},
		{At: 2, Loss: math.NaN(), Accuracy: 0.90},
		{At: 3, Loss: 0.5, Accuracy: 0.98},
		{At: 4, Loss: 0.6, Accuracy: 0.50},
	}
	for _, c := range []struct {
		metric string
		target float64
		want   float64
	}{
		{"accuracy", 0.94, 2.5},
		{"accuracy", 0.90, 2},
		{"accuracy", 0.05, 0},
		{"loss", 1.5, 0.5},
		{"loss", 2.0, 0},
	} {
		got := TimeTo(readings, c.metric, c.target)
		if got == nil || math.Abs(*got-c.want) > 1e-12 {
			t.Errorf("%s %g: %v, expected %g", c.metric, c.target, got, c.want)
		}
	}
	for metric, target := range map[string]float64{"accuracy": 0.99, "loss": 0.4} {
		if got := TimeTo(readings, metric, target); got != nil {
			t.Errorf("%s %g is met at %g", metric, target, *got)
		}
	}
	if got := TimeTo(readings, "loss", 0.7); got == nil || *got != 3 {
		t.Errorf("after a loss that is not a number the target is met at %v, expected 3", got)
	}
}
