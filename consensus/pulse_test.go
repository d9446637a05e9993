package consensus

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Without stragglers pulse is quorum, event for event.
func TestPulseIsQuorumWithoutStragglers(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		root := rapid.Uint64().Draw(r, "seed")
		run := func(o Options) []string {
			w := newNetwork(t, ring(8, 2), o, spread)
			w.step = func(p Peer, block uint64) Duration {
				return 950 + jitter(root, nil)(p, block)/20 // within 5 %, so nobody counts as slower
			}
			w.learn = towards(0.1, map[Peer][]float32{"a": {1, 1}, "d": {5, -1}})
			w.logging = true
			w.run(30_000)
			return w.log
		}
		quorum := run(Options{Recipe: "quorum", Quorum: 2, Weights: Constant})
		pulse := run(Options{Recipe: "pulse", Quorum: 2})
		for i := range min(len(quorum), len(pulse)) {
			if quorum[i] != pulse[i] {
				r.Fatalf("line %d:\nquorum %s\npulse  %s", i, quorum[i], pulse[i])
			}
		}
	})
}

// slowNetwork is a ring of eight in which d is slower.
func slowNetwork(t *testing.T, o Options, factor float64) *network {
	w := newNetwork(t, ring(8, 2), o, nil)
	w.step = jitter(3, map[Peer]float64{"d": factor})
	return w
}

// The pieces of an update sum to c times the update, whatever happens in between.
func TestPiecesSumToTheScaledUpdate(t *testing.T) {
	w := slowNetwork(t, Options{Recipe: "pulse"}, 6)
	p := w.peers["d"].rule.(*pulse)
	var held []float32
	added, left, updates := 0, 0, 0
	w.check = func(peer Peer, _ *Machine, ev Event, _ []Effect) {
		if peer != "d" {
			return
		}
		if _, ended := ev.(Trained); ended {
			held, added = p.piece, 1
		} else if p.left < left {
			added += left - p.left
		}
		left = p.left
		if p.left == 0 && held != nil {
			if got := float64(held[0]) * float64(added); math.Abs(got-6) > 0.6 {
				t.Errorf("%d pieces of %v sum to %v, want about 6 times the update", added, held[0], got)
			}
			held = nil
			updates++
		}
	}
	w.learn = func(peer Peer, x []float32, steps int) {
		if peer == "d" {
			x[0] += float32(steps)
		}
	}
	w.run(100_000)
	if updates < 5 {
		t.Errorf("only %d updates were added in pieces", updates)
	}
}

// A peer that is ten times slower is never silent for longer than a few beats.
func TestPulsesKeepTheBeat(t *testing.T) {
	last, longest := Time(0), Duration(0)
	w := slowNetwork(t, Options{Recipe: "pulse"}, 10)
	w.check = func(p Peer, _ *Machine, _ Event, effects []Effect) {
		for _, e := range effects {
			if _, published := e.(Published); !published || p != "d" {
				continue
			}
			if w.now > 15_000 {
				longest = max(longest, Duration(w.now-last))
			}
			last = w.now
		}
	}
	w.run(100_000)
	if longest > 1500 {
		t.Errorf("the slow peer was silent for %d, the beat is about 1000", longest)
	}
	quiet := slowNetwork(t, Options{Recipe: "pulse", Pulse: &PulseOptions{NoMidBlock: true}}, 10)
	quiet.run(100_000)
	if w.sent["Estimate"] < quiet.sent["Estimate"]+300 {
		t.Errorf("%d messages with pulses, %d without", w.sent["Estimate"], quiet.sent["Estimate"])
	}
}

// Mixing that eats the beat must not starve training: blocks of peers 30 and 60 times slower end.
func TestPulseDoesNotStarve(t *testing.T) {
	for _, factor := range []float64{10, 30, 60} {
		for _, cost := range []Duration{20, 100, 600} { // per own step of 1000, so 60 times: 36 beats a mix
			w := slowNetwork(t, Options{Recipe: "pulse"}, factor)
			w.mixing = func(p Peer) Duration {
				if p == "d" {
					return Duration(float64(cost) * factor)
				}
				return cost
			}
			w.run(1_000_000)
			blocks := w.peers["d"].block.number
			atMost := 1_000_000 / (1000 * factor)
			if float64(blocks) < atMost/4 {
				t.Errorf("%v times slower, mixing %v: %d blocks of at most %.0f", factor, cost, blocks, atMost)
			}
		}
	}
}

// With MaxPieces 1 nothing is scaled; with Jump everything is added at once.
func TestPartsOfPulseSwitchOff(t *testing.T) {
	push := func(o PulseOptions) []float32 {
		w := slowNetwork(t, Options{Recipe: "pulse", Pulse: &o}, 6)
		var jumps []float32
		before := float32(0)
		w.learn = func(p Peer, x []float32, _ int) {
			if p == "d" {
				x[0]++
			}
		}
		w.check = func(p Peer, m *Machine, ev Event, _ []Effect) {
			if _, ended := ev.(Trained); ended && p == "d" {
				jumps = append(jumps, m.last.Params[0]-before)
			}
			if p == "d" {
				before = m.x[0]
			}
		}
		w.run(50_000)
		return jumps
	}
	if got := slices.Max(push(PulseOptions{MaxPieces: 1})); got > 1.01 {
		t.Errorf("an unscaled update counted %v times", got)
	}
	if got := slices.Max(push(PulseOptions{Jump: true})); got < 4 {
		t.Errorf("the largest jump was %v, want about 6", got)
	}
}

// The straggler is named, once, by itself and by its neighbours.
func TestStragglerIsNamed(t *testing.T) {
	w := slowNetwork(t, Options{Recipe: "quorum"}, 5)
	w.logging = true
	w.run(60_000)
	named := 0
	for _, line := range w.log {
		if strings.Contains(line, "straggling peer=d") {
			named++
		} else if strings.Contains(line, "straggling") {
			t.Errorf("somebody else is called a straggler: %s", line)
		}
	}
	if named != 5 { // d and its four neighbours
		t.Errorf("named %d times, want 5", named)
	}
}
