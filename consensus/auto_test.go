package consensus

import "testing"

// waitsOf runs five peers, all joined, and returns the longest time that peer a waited after the first rounds, in
// beats of 1000.
func waitsOf(t *testing.T, recipe string, step func(p Peer, block uint64) Duration, change func(w *network)) float64 {
	t.Helper()
	w := newNetwork(t, ring(5, 2), Options{Recipe: recipe}, nil)
	w.step = step
	if change != nil {
		change(w)
	}
	longest := Duration(0)
	w.check = func(p Peer, _ *Machine, _ Event, effects []Effect) {
		for _, e := range effects {
			if mixed, ok := e.(Mixed); ok && p == "a" && !mixed.MidBlock && w.now > 20_000 {
				longest = max(longest, mixed.Waited)
			}
		}
	}
	w.run(60_000)
	return float64(longest) / 1000
}

// Peers that are about equally fast wait for each other, so that what is mixed is young.
func TestAutoMixesYoungEstimates(t *testing.T) {
	age := func(recipe string) float64 {
		w := newNetwork(t, ring(8, 2), Options{Recipe: recipe}, nil)
		w.step = jitter(3, nil)
		sum, count := 0.0, 0.0
		w.check = func(_ Peer, _ *Machine, _ Event, effects []Effect) {
			for _, e := range effects {
				if mixed, ok := e.(Mixed); ok && w.now > 10_000 {
					for _, s := range mixed.Used {
						sum, count = sum+float64(s.Age), count+1
					}
				}
			}
		}
		w.run(60_000)
		return sum / count
	}
	auto, pulse := age("auto"), age("pulse")
	t.Logf("mean age in a step of 1000: auto %.0f, pulse %.0f", auto, pulse)
	if auto > 0.7*pulse {
		t.Errorf("estimates that auto mixes are %.0f old, and those of pulse %.0f", auto, pulse)
	}
}

// A straggler is not waited for, and nobody for longer than a quarter of a beat.
func TestAutoWaitsForNoStraggler(t *testing.T) {
	slow := func(factor float64) func(p Peer, _ uint64) Duration {
		return func(p Peer, _ uint64) Duration {
			if p == "e" {
				return Duration(1000 * factor)
			}
			return 1000
		}
	}
	if got := waitsOf(t, "auto", slow(10), nil); got > 0.05 {
		t.Errorf("one peer ten times slower: a waits %.2f beats", got)
	}
	if got := waitsOf(t, "auto", slow(1.8), nil); got > 0.251 {
		t.Errorf("one peer 1.8 times slower: a waits %.2f beats", got)
	}
}

// A peer of which nothing is heard any more, and whose link seems to be up, is waited for in two rounds at most.
func TestAutoForgetsWhoFellSilent(t *testing.T) {
	got := waitsOf(t, "auto", func(Peer, uint64) Duration { return 1000 }, func(w *network) {
		w.vanish = func(from, _ Peer) bool { return from == "e" && w.now > 15_500 }
	})
	if got > 0.05 {
		t.Errorf("five beats after a peer fell silent a still waits %.2f beats", got)
	}
}
