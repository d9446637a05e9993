package node

import (
	"testing"
	"time"

	"github.com/starling-ml/starling/consensus"
)

func TestPaceIsReadable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		steps  int
		passed time.Duration
		want   string
	}{
		{10, time.Second, "100.0 ms (compute 50.0, mix 10.0, wait 20.0)"},
		{2000, time.Second, "500 µs (compute 250, mix 50, wait 100)"},
		{1000, time.Second, "1.0 ms (compute 0.5, mix 0.1, wait 0.2)"},
	} {
		r := report{
			steps: c.steps, trained: c.passed / 2,
			mixed: consensus.Duration(c.passed / 10), waited: consensus.Duration(c.passed / 5),
		}
		if got := r.pace(c.passed); got != c.want {
			t.Errorf("%d steps in %s: %s, want %s", c.steps, c.passed, got, c.want)
		}
	}
}

func TestOldestIsAnAge(t *testing.T) {
	t.Parallel()
	used := []consensus.Source{{Age: 2e6, Staleness: 9000}, {Age: 40e6, Staleness: -9000}}
	if got := oldest(consensus.Mixed{Used: used}); got != ", oldest 40ms" {
		t.Errorf("got %q", got)
	}
	if got := oldest(consensus.Mixed{}); got != "" {
		t.Errorf("got %q of nobody", got)
	}
}
