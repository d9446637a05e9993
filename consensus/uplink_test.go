package consensus

import (
	"slices"
	"testing"
)

// sends lists who got the estimate of that seq.
func sends(effects []Effect, seq uint64) []Peer {
	var to []Peer
	for _, e := range effects {
		if s, ok := e.(Send); ok {
			if estimate, ok := s.Message.(Estimate); ok && estimate.Seq == seq {
				to = append(to, s.To)
			}
		}
	}
	return to
}

// The time of sending is that of the last frame, failed ones and dead neighbours left out.
func TestTimeOfSendingToEverybody(t *testing.T) {
	for name, c := range map[string]struct {
		events []Event
		at     []Time
		want   Duration
	}{
		"all": {
			[]Event{Sent{"b", 1}, Sent{"c", 1}, Sent{"d", 1}, Sent{"e", 1}}, []Time{1010, 1020, 1030, 1040}, 40,
		},
		"not yet":     {[]Event{Sent{"b", 1}, Sent{"c", 1}, Sent{"d", 1}}, []Time{1010, 1020, 1030}, 0},
		"twice":       {[]Event{Sent{"b", 1}, Sent{"b", 1}, Sent{"c", 1}, Sent{"d", 1}}, []Time{1010, 1020, 1030, 1040}, 0},
		"one failed":  {[]Event{Sent{"b", 1}, Sent{"c", 1}, Sent{"d", 1}, SendFailed{"e", 1}}, []Time{1, 2, 3, 9000}, 3},
		"all failed":  {[]Event{SendFailed{"b", 1}, SendFailed{"c", 1}, SendFailed{"d", 1}, SendFailed{"e", 1}}, nil, 0},
		"one left":    {[]Event{Sent{"b", 1}, Sent{"c", 1}, Sent{"d", 1}, Left{"e"}}, []Time{1010, 1020, 1030, 9000}, 30},
		"not its own": {[]Event{Sent{"b", 2}, Sent{"x", 1}, SendFailed{"b", 7}}, nil, 0},
	} {
		m := published(t, Options{Recipe: "pulse"})
		for i, ev := range c.events {
			at := Time(1001 + i)
			if i < len(c.at) {
				at = c.at[i]
				if at < 1000 {
					at += 1000
				}
			}
			m.Step(at, ev)
		}
		if m.pace.send != c.want {
			t.Errorf("%s: %d, want %d", name, m.pace.send, c.want)
		}
	}
}

// Pulse does not publish while a frame is queued or being sent; a newer Sent settles the older ones.
func TestPulseSkipsWhileTheUplinkIsBusy(t *testing.T) {
	m := published(t, Options{Recipe: "pulse"})
	if !m.uplinkBusy() {
		t.Fatal("four frames are out and the uplink is not busy")
	}
	for _, p := range letters(5)[1:] {
		say(m, 1010, p)
	}
	effects := m.Step(2000, Trained{Block: 2, Params: []float32{2}, Steps: 1})
	if len(sends(effects, 2)) != 0 || m.seq != 1 {
		t.Error("published although the uplink was busy")
	}
	for _, p := range []Peer{"b", "c", "d"} {
		m.Step(2000, Sent{To: p, Seq: 1})
	}
	m.Step(2000, SendFailed{To: "e", Seq: 1})
	if m.uplinkBusy() {
		t.Error("all frames are settled and the uplink is busy")
	}
	m.Step(2500, Wake{})
	effects = m.Step(3000, Trained{Block: 3, Params: []float32{3}, Steps: 1})
	if got := sends(effects, 2); !slices.Equal(got, letters(5)[1:]) {
		t.Errorf("the next publish went to %v", got)
	}
}

// quorum publishes whatever the uplink does, and lets newer estimates replace queued ones.
func TestQuorumReplacesQueuedEstimates(t *testing.T) {
	m := published(t, Options{Recipe: "quorum"})
	say(m, 1010, "b")
	say(m, 1010, "c")
	for _, e := range m.Step(2000, Trained{Block: 2, Params: []float32{2}, Steps: 1}) {
		if s, ok := e.(Send); ok && !s.Replace {
			t.Errorf("%s is not to be replaced", s)
		}
	}
	m.Step(2010, SendFailed{To: "b", Seq: 1}) // replaced by the newer one
	if m.nextRetry() != Never {
		t.Error("an estimate that was replaced is to be sent again")
	}
	if !m.view.find("b").busy() {
		t.Error("the newer one is still out")
	}
	m.Step(2020, Sent{To: "b", Seq: 2})
	if m.view.find("b").busy() {
		t.Error("the newer one was sent")
	}
	for _, e := range published(t, Options{Recipe: "dpsgd"}).effects {
		if s, ok := e.(Send); ok && s.Replace {
			t.Errorf("%s must arrive: its round waits for it", s)
		}
	}
}

// A lost estimate is sent again after a pause, and again, until it is sent or a newer one is out.
func TestLostEstimatesAreRetriedWithPauses(t *testing.T) {
	m := published(t, Options{Recipe: "dpsgd"})
	at := Time(1000)
	for range 3 {
		m.Step(at, SendFailed{To: "c", Seq: 1})
		wake := m.Wake()
		if wake < at+Time(Second/10) || wake == Never {
			t.Fatalf("failed at %d, tried again at %d", at, wake)
		}
		if got := sends(m.Step(wake-1, Wake{}), 1); got != nil {
			t.Errorf("tried before the pause was over: %v", got)
		}
		if got := sends(m.Step(wake, Wake{}), 1); !slices.Equal(got, []Peer{"c"}) {
			t.Errorf("tried %v, want only c", got)
		}
		at = wake
	}
	m.Step(at, Sent{To: "c", Seq: 1})
	if m.Wake() != Never {
		t.Error("sent, and still tried again")
	}
	m.Step(at, SendFailed{To: "b", Seq: 1})
	m.Step(at, Left{Peer: "b"})
	if m.Wake() != Never {
		t.Error("tries to send to a neighbour that left")
	}
}

// Effects come in an order that drivers may rely on: publish, then the recipe's messages, then the mix,
// then Save, then the next Train.
func TestOrderOfEffects(t *testing.T) {
	rank := func(e Effect) int {
		switch e := e.(type) {
		case Send:
			if _, ok := e.Message.(Estimate); ok {
				return 1
			}
			return 3
		case Published:
			return 2
		case Lost, Mixed:
			return 4
		case Save:
			return 5
		case Train:
			return 6
		}
		return 0
	}
	all := every()
	delete(all, "dasgd") // it mixes what came during the block, and tells what the next one starts from
	for name, o := range all {
		w := newNetwork(t, ring(5, 1), o, func(_ int, c *Config) { c.SaveEvery = 1 })
		w.check = func(p Peer, _ *Machine, ev Event, effects []Effect) {
			if _, ok := ev.(Trained); !ok {
				return
			}
			last := 0
			for _, e := range effects {
				if r := rank(e); r > 0 {
					if r < last {
						t.Errorf("%s: %s comes too late in %v", name, e, effects)
					}
					last = r
				}
			}
		}
		w.run(20_000)
	}
}
