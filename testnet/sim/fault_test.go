package sim_test

import (
	"math"
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/testnet/sim"
	"github.com/starling-ml/starling/train"
)

// trainedAt lists when the blocks of a peer end, in units.
func trainedAt(notes *[]note, self consensus.Peer) sim.Observer {
	return record(notes, func(n note) bool {
		_, ok := n.ev.(consensus.Trained)
		return ok && n.self == self
	})
}

func at(x float64) consensus.Time { return consensus.Time(units(x)) }

func expectTimes(t *testing.T, notes []note, want ...float64) {
	t.Helper()
	for i, w := range want {
		if i >= len(notes) || math.Abs(notes[i].at-w) > 1e-6 {
			t.Fatalf("blocks end at %v, expected %v", times(notes), want)
		}
	}
}

func times(notes []note) []float64 {
	var list []float64
	for _, n := range notes {
		list = append(list, n.at)
	}
	return list
}

// pair is two peers that exchange estimates without delay and never wait.
func pair(notes *[]note) lab {
	return lab{
		graph: circulant(2, 2), law: constant, options: consensus.Options{Recipe: "quorum", Timeout: 1},
		observer: trainedAt(notes, "000"),
	}
}

// Slowing a peer down stretches what is left of its block, and the blocks after it.
func TestSlow(t *testing.T) {
	t.Parallel()
	var notes []note
	network := pair(&notes).build(t)
	network.At(at(0.5), func() { network.Slow("000", 3) })
	network.At(at(2+3), func() { network.Slow("000", 1) })
	network.Run(at(9))
	expectTimes(t, notes, 2, 5, 6, 7)
}

// Times beyond the end of the clock are as good as never.
func TestTimesBeyondTheClock(t *testing.T) {
	t.Parallel()
	var notes []note
	l := pair(&notes)
	l.link = sim.Link{Rate: 1e-9}
	l.options.LocalSteps = 3
	network := l.build(t)
	network.At(at(0.5), func() { network.Slow("000", 1e300) })
	network.At(at(1), func() { network.Slow("001", 1e18) })
	network.Run(at(1e8))
	if got := network.Now(); got != at(1e8) {
		t.Errorf("the run ends at %d", got)
	}
}

// A pause stops the clock of a block; afterwards it goes on where it stopped.
func TestPause(t *testing.T) {
	t.Parallel()
	var notes []note
	network := pair(&notes).build(t)
	network.At(at(1.25), func() { network.Pause("000") })
	network.At(at(1.5), func() { network.Pause("000") }) // again: nothing
	network.At(at(3.25), func() { network.Resume("000") })
	network.At(at(3.5), func() { network.Resume("000") }) // again: nothing
	network.Run(at(9))
	expectTimes(t, notes, 1, 4, 5)
}

// Slowing down a paused peer stretches what is left when it goes on.
func TestSlowDuringAPause(t *testing.T) {
	t.Parallel()
	var notes []note
	network := pair(&notes).build(t)
	network.At(at(0.5), func() { network.Pause("000") })
	network.At(at(1), func() { network.Slow("000", 2) })
	network.At(at(2), func() { network.Resume("000") })
	network.Run(at(9))
	expectTimes(t, notes, 3, 5)
}

// A long pause is noticed: the neighbours go on without the peer and take it back afterwards.
func TestLongPauseIsNoticed(t *testing.T) {
	t.Parallel()
	var left, joined, rewired []note
	l := lab{graph: circulant(4, 2), law: constant, options: consensus.Options{Recipe: "dpsgd"}, silence: units(2)}
	l.observer = func(now consensus.Time, self consensus.Peer, ev consensus.Event, _ []consensus.Effect) {
		n := note{at: float64(now) / float64(unit), self: self, ev: ev}
		switch ev.(type) {
		case consensus.Left:
			left = append(left, n)
		case consensus.Joined:
			joined = append(joined, n)
		case consensus.Rewired:
			rewired = append(rewired, n)
		}
	}
	network := l.build(t)
	network.At(at(5.5), func() { network.Pause("001") })
	network.At(at(20), func() { network.Resume("001") })
	network.Run(at(40))
	// two neighbours notice, and the paused peer finds its own two connections closed
	if len(left) != 4 || left[0].at != 7.5 || left[3].at != 20 {
		t.Errorf("left: %v", left)
	}
	if len(joined) != 4 || joined[0].at != 20 {
		t.Errorf("joined: %v", joined)
	}
	if len(rewired) != 6 { // three peers lose a member and get it back
		t.Errorf("rewired: %v", rewired)
	}
	for i, m := range network.Live() {
		if m.Round() < 30 {
			t.Errorf("peer %d has closed %d rounds only", i, m.Round())
		}
	}
}

// counting counts its steps in its state.
type counting struct{ steps byte }

func (c *counting) Step([]float32) (float32, error) { c.steps++; return 0, nil }
func (c *counting) State() ([]byte, error)          { return []byte{c.steps}, nil }
func (c *counting) Restore(state []byte) error      { c.steps = state[0]; return nil }

// A peer that is killed and restarted goes on from its last checkpoint, its trainer too.
func TestRestartFromACheckpoint(t *testing.T) {
	t.Parallel()
	trainers := map[int]*counting{}
	l := lab{graph: circulant(4, 2), law: constant, options: consensus.Options{Recipe: "quorum"}, saves: units(4)}
	l.trainer = func(i int) train.Trainer { trainers[i] = &counting{}; return trainers[i] }
	network := l.build(t)
	network.Run(at(10.5))
	network.Kill("001")
	network.Kill("001") // again: nothing
	if len(network.Live()) != 3 {
		t.Fatal("the killed peer still runs")
	}
	network.Run(at(12.5))
	if trainers[1].steps != 10 {
		t.Errorf("a dead peer has trained: %d steps", trainers[1].steps)
	}
	if err := network.Restart("001", false); err != nil {
		t.Fatal(err)
	}
	if saved := trainers[1].steps; saved < 4 || saved >= 10 {
		t.Errorf("the trainer resumes at step %d", saved)
	}
	m := network.Live()[1]
	if m.Steps() != uint64(trainers[1].steps) {
		t.Errorf("the machine resumes at step %d, the trainer at %d", m.Steps(), trainers[1].steps)
	}
	if err := network.Restart("001", false); err != nil || network.Live()[1] != m {
		t.Error("restarting a running peer changes it")
	}
	before := m.Steps()
	network.Run(at(20.5))
	if m.Steps() < before+6 {
		t.Errorf("the peer has trained %d steps since its restart", m.Steps()-before)
	}
}

// A peer that is restarted afresh takes its neighbours' average, not the initial estimate.
func TestFreshRestartJoinsTheRun(t *testing.T) {
	t.Parallel()
	l := lab{graph: circulant(4, 2), law: constant, options: consensus.Options{Recipe: "quorum"}, saves: units(1)}
	l.params = []float32{0}
	l.trainer = func(int) train.Trainer { return quadratic{center: 100, eta: 0.2} }
	network := l.build(t)
	network.Run(at(30.5))
	network.Kill("002")
	network.Run(at(31.5))
	if err := network.Restart("002", true); err != nil {
		t.Fatal(err)
	}
	network.Run(at(34.9))
	for i, m := range network.Live() {
		if m.Params()[0] < 95 {
			t.Errorf("peer %d is at %g", i, m.Params()[0])
		}
	}
}

// Every recipe lives through the death of a peer, and through its return.
func TestEveryRecipeOutlivesAPeer(t *testing.T) {
	t.Parallel()
	for _, recipe := range everyRecipe {
		l := busy(recipe)
		l.laws = nil
		l.law = homogeneous
		l.silence = units(3)
		network := l.build(t)
		network.Run(at(20))
		network.Kill("002")
		network.Run(at(30))
		before := meanRounds(network)
		network.Run(at(50))
		if gain := meanRounds(network) - before; gain < 10 {
			t.Errorf("%s: %.1f rounds in 20 units after a death", recipe, gain)
		}
		if err := network.Restart("002", true); err != nil {
			t.Fatal(err)
		}
		network.Run(at(60))
		back := network.Live()[2]
		steps, round := back.Steps(), back.Round()
		network.Run(at(80))
		if back.Steps() < steps+8 || back.Round() < round+8 {
			t.Errorf("%s: the peer that returned has closed %d rounds in 20 units", recipe, back.Round()-round)
		}
	}
}

// Mixing is paid for by the next block, at the peer's own speed.
func TestMixingTakesTime(t *testing.T) {
	t.Parallel()
	var notes []note
	l := pair(&notes)
	l.mixCost = 0.4 // one replica: a tenth of a step
	l.run(t, 5)
	expectTimes(t, notes, 1, 2.1, 3.2, 4.3)
	notes = nil
	l.laws = map[int]law{0: law(constant).times(2)}
	l.run(t, 9)
	expectTimes(t, notes, 2, 4.2, 6.4)
}
