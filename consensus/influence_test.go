package consensus

import (
	"math"
	"testing"
)

// shareOf returns the mean influence of the peer with its neighbours at the end of a run.
func shareOf(t *testing.T, o Options, peer Peer) float64 {
	sum, count := 0.0, 0
	w := newNetwork(t, ring(8, 2), o, nil)
	w.step = jitter(3, map[Peer]float64{"d": 10})
	w.check = func(p Peer, _ *Machine, _ Event, effects []Effect) {
		for _, e := range effects {
			mixed, ok := e.(Mixed)
			if !ok || p == peer || w.now < 150_000 {
				continue
			}
			for _, s := range mixed.Influence {
				if s.Peer == peer {
					sum, count = sum+s.Value, count+1
				}
			}
		}
	}
	w.run(200_000)
	return sum / float64(count)
}

// Influence shows what the consensus distance hides: mixing only what is fresh drops the slow peer.
func TestInfluenceRevealsSilentExclusion(t *testing.T) {
	fresh := shareOf(t, Options{Recipe: "quorum", Mix: Fresh, Weights: Constant}, "d")
	latest := shareOf(t, Options{Recipe: "quorum", Weights: Constant}, "d")
	pulse := shareOf(t, Options{Recipe: "pulse"}, "d")
	fair := shareOf(t, Options{Recipe: "dpsgd"}, "d")
	if !(fresh < latest && latest < pulse && pulse < fair*1.3) {
		t.Errorf("shares of the slow peer: fresh %.3f, latest %.3f, pulse %.3f, dpsgd %.3f", fresh, latest, pulse, fair)
	}
	if math.Abs(fair-0.2) > 0.02 { // one of five in every mix
		t.Errorf("share under dpsgd is %.3f, want 0.2", fair)
	}
	if fresh > fair/2 {
		t.Errorf("fresh %.3f is not clearly less than dpsgd %.3f", fresh, fair)
	}
}

// Long vectors are compared on a sample; on even vectors the sample is exact.
func TestDistanceOfLongVectors(t *testing.T) {
	for _, n := range []int{3, sampled, sampled + 1, 10 * sampled} {
		a, b := make([]float32, n), make([]float32, n)
		for i := range b {
			b[i] = 2
		}
		if got, want := math.Sqrt(squaredDistance(a, b)), 2*math.Sqrt(float64(n)); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%d: got %v, want %v", n, got, want)
		}
	}
}

func TestDamping(t *testing.T) {
	for _, c := range []struct {
		age, median Duration
		want        float64
	}{{0, 100, 1}, {200, 100, 1}, {300, 100, 0.5}, {1200, 100, 1. / 11}, {1200, 0, 1}} {
		if got := damp(1, c.age, c.median); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("age %d, median %d: %v, want %v", c.age, c.median, got, c.want)
		}
	}
}
