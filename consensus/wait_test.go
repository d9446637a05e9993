package consensus

import (
	"testing"
)

// waiting machine: a with neighbours b, c, d, e, published at 1000.
func published(t *testing.T, o Options) *Machine {
	t.Helper()
	g := ring(5, 2)
	m, err := New(Config{
		Self: "a", Members: letters(5), Graph: g, Params: []float32{0}, Options: o, Connected: letters(5)[1:],
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Step(0, Wake{})
	m.Step(1000, Trained{Block: 1, Params: []float32{1}, Steps: 1})
	return m
}

// say makes a neighbour publish for round 0 with a step time of 1000.
func say(m *Machine, at Time, from Peer) {
	m.Step(at, Received{From: from, Message: Estimate{Seq: 1, StepTime: 1000, Degree: 4, Params: []float32{1}}})
}

// When a peer mixes: after who has spoken, at what time. 0 in mixed: not yet.
func TestWhenAPeerMixes(t *testing.T) {
	type word struct {
		at   Time
		from Peer
	}
	for name, c := range map[string]struct {
		o     Options
		words []word
		wake  Time // wanted after the last word
		mixed bool // by then
	}{
		"half of four": {Options{Recipe: "quorum"}, []word{{1100, "b"}, {1200, "e"}}, Never, true},
		"one of four":  {Options{Recipe: "quorum"}, []word{{1100, "b"}}, Never, false},
		"the same one": {Options{Recipe: "quorum"}, []word{{1100, "b"}, {1200, "b"}}, Never, false},
		"grace": {
			Options{Recipe: "quorum", Grace: 70}, []word{{1100, "b"}, {1200, "e"}}, 1270, false,
		},
		"grace counts from the quorum": {
			Options{Recipe: "quorum", Grace: 70}, []word{{1100, "b"}, {1200, "e"}, {1250, "c"}}, 1270, false,
		},
		"grace as a fraction": {
			Options{Recipe: "quorum", GraceFraction: 0.15}, []word{{1100, "b"}, {1200, "e"}}, 1350, false,
		},
		"everybody ends the grace": {
			Options{Recipe: "quorum", Grace: 70},
			[]word{{1100, "b"}, {1200, "e"}, {1210, "c"}, {1220, "d"}},
			Never, true,
		},
		"three of four":     {Options{Recipe: "quorum", Quorum: 3}, []word{{1, "b"}, {2, "c"}, {3, "d"}}, Never, true},
		"more than all":     {Options{Recipe: "quorum", Quorum: 9}, []word{{1, "b"}, {2, "c"}, {3, "d"}}, Never, false},
		"timeout":           {Options{Recipe: "quorum", Timeout: 500}, nil, 1500, false},
		"timeout in blocks": {Options{Recipe: "quorum", TimeoutFactor: 3}, []word{{1100, "b"}}, 4000, false},
		"the shorter":       {Options{Recipe: "quorum", Timeout: 500, TimeoutFactor: 3}, nil, 1500, false},
		"three quarters": {
			Options{Recipe: "backup", Mix: Latest}, []word{{1100, "b"}, {1200, "e"}, {1300, "c"}}, Never, true,
		},
		"pulse: a quarter beat": {Options{Recipe: "pulse"}, []word{{1100, "b"}}, 1250, false},
		"pulse: half":           {Options{Recipe: "pulse"}, []word{{1100, "b"}, {1120, "c"}}, 0, true},
		"auto: all who were heard": {
			Options{Recipe: "auto"}, []word{{1100, "b"}, {1120, "c"}, {1130, "d"}, {1140, "e"}}, 0, true,
		},
		"auto: a quarter beat": {Options{Recipe: "auto"}, []word{{1100, "b"}}, 1250, false},
		"dpsgd: all": {
			Options{Recipe: "dpsgd"}, []word{{1100, "b"}, {1200, "e"}, {1300, "c"}, {1300, "d"}}, Never, true,
		},
		"dpsgd: but one": {
			Options{Recipe: "dpsgd"}, []word{{1100, "b"}, {1200, "e"}, {1300, "c"}}, Never, false,
		},
	} {
		m := published(t, c.o)
		for _, w := range c.words {
			say(m, max(w.at, m.now), w.from)
		}
		if mixed := m.Round() == 1; mixed != c.mixed {
			t.Errorf("%s: mixed is %v, want %v", name, mixed, c.mixed)
		}
		if got := m.Wake(); c.wake != 0 && got != c.wake {
			t.Errorf("%s: wakes at %d, want %d", name, got, c.wake)
		}
		if at := m.Wake(); !c.mixed && at != Never {
			if m.Step(at-1, Wake{}); m.Round() != 0 {
				t.Errorf("%s: mixed before its time", name)
			}
			if m.Step(at, Wake{}); m.Round() != 1 {
				t.Errorf("%s: did not mix when it was woken", name)
			}
		}
	}
}

// Who dies is not waited for, in any recipe.
func TestTheDeadAreNotWaitedFor(t *testing.T) {
	for name, o := range every() {
		m := published(t, o)
		for _, p := range letters(5)[1:] {
			if m.Round() != 0 && gives(o)&freeRunning == 0 {
				t.Errorf("%s: mixed while %s was alive and silent", name, p)
			}
			m.Step(1100, Left{Peer: p})
		}
		if m.Round() != 1 {
			t.Errorf("%s: waits for the dead", name)
		}
	}
}

// The beat: the median step, or longer if sending takes more than 0.8 of it; steps fill it.
func TestBeatAndStepsOfPulse(t *testing.T) {
	for _, c := range []struct {
		step, send, others Duration
		fixed              int
		beat               Duration
		steps              int
	}{
		{1000, 0, 1000, 0, 1000, 1},
		{1000, 800, 1000, 0, 1000, 1},
		{1000, 1600, 1000, 0, 2000, 2},
		{1000, 4000, 1000, 0, 5000, 5},
		{1000, 4000, 2000, 0, 5000, 5},
		{1000, 0, 2690, 0, 2690, 2},
		{1000, 0, 2700, 0, 2700, 3},
		{10_000, 4000, 1000, 0, 5000, 1},
		{10, 800_000, 10, 0, 1_000_000, 64},
		{1000, 0, 1000, 8, 8000, 8},
		{1000, 16_000, 1000, 8, 20_000, 8},
	} {
		m := published(t, Options{Recipe: "pulse", LocalSteps: c.fixed})
		m.pace.step, m.pace.send = c.step, c.send
		for _, n := range m.view.neighbours {
			n.stepTime = c.others
		}
		p := m.rule.(*pulse)
		if steps := p.steps(m); steps != c.steps || p.beat != c.beat {
			t.Errorf("%+v: %d steps in a beat of %d", c, steps, p.beat)
		}
	}
}

// How often an update counts.
func TestRatioOfPulse(t *testing.T) {
	for _, c := range []struct {
		step Duration
		most int
		want float64
	}{
		{1000, 8, 1},
		{869, 8, 0.869},
		{871, 8, 1},
		{1149, 8, 1},
		{1151, 8, 1.151},
		{5000, 8, 5},
		{9000, 8, 8},
		{100, 8, 0.125},
		{5000, 1, 1},
		{100, 1, 1},
		{5000, 4, 4},
		{0, 8, 1},
	} {
		m := published(t, Options{Recipe: "pulse", Pulse: &PulseOptions{MaxPieces: c.most}})
		m.pace.step = c.step
		for _, n := range m.view.neighbours {
			n.stepTime = 1000
		}
		if got := m.rule.(*pulse).ratio(m); got != c.want {
			t.Errorf("step %d, at most %d: %v, want %v", c.step, c.most, got, c.want)
		}
	}
}

func TestMedianIsTheUpperOne(t *testing.T) {
	for _, c := range []struct {
		own    Duration
		others []Duration
		want   Duration
	}{
		{0, nil, 0},
		{7, nil, 7},
		{0, []Duration{7}, 7},
		{1, []Duration{5}, 5},
		{9, []Duration{1, 2}, 2},
		{1, []Duration{2, 3, 4}, 3},
		{10, []Duration{1, 0, 0, 0}, 10},
		{3, []Duration{3, 3, 30, 30}, 3},
	} {
		m := published(t, Options{Recipe: "quorum"})
		m.pace.step = c.own
		for i, s := range c.others {
			m.view.neighbours[i].stepTime = s
		}
		if got := m.medianStep(); got != c.want {
			t.Errorf("%d and %v: %d, want %d", c.own, c.others, got, c.want)
		}
		if len(c.others) == 4 {
			m.view.neighbours[1].live = false // its time counts no more
			if got := m.medianStep(); c.own == 3 && got != 30 && got != 3 {
				t.Errorf("without a dead neighbour: %d", got)
			}
		}
	}
}

// The first measurement counts in full, later ones a fifth.
func TestTimesAreAveraged(t *testing.T) {
	var p pace
	p.trained(4000, 4)
	if p.step != 1000 {
		t.Errorf("first: %d", p.step)
	}
	p.trained(2000, 1)
	if p.step != 1200 {
		t.Errorf("second: %d", p.step)
	}
	p.trained(9000, 0)
	p.trained(0, 5)
	if p.step != 1200 {
		t.Errorf("blocks that measure nothing count: %d", p.step)
	}
	p.mixTook(100)
	p.mixTook(0)
	if p.mix != 80 {
		t.Errorf("mix: %d", p.mix)
	}
}
