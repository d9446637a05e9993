package node

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/train/pace"
)

// counting adds 1 to the first parameter; the gate, if any, holds every step.
type counting struct {
	gate chan struct{}
	fail error
	loss float32
}

func (c *counting) Step(params []float32) (float32, error) {
	if c.gate != nil {
		<-c.gate
	}
	params[0]++
	return c.loss, c.fail
}

func (c *counting) State() ([]byte, error) { return []byte("state"), nil }

func (c *counting) Restore([]byte) error { return nil }

func TestABlockIsACopyTrained(t *testing.T) {
	t.Parallel()
	w := newWorker(&counting{loss: 0.5}, nil)
	go w.run()
	start := []float32{7}
	w.begin(consensus.Train{Block: 3, Params: start, Steps: 5})
	r := <-w.results
	if r.Block != 3 || r.Steps != 5 || r.Params[0] != 12 || r.Loss != 0.5 || r.err != nil || start[0] != 7 {
		t.Errorf("result %+v, start %v", r, start)
	}
	w.halt()
	if _, open := <-w.results; open {
		t.Error("a halted worker has results")
	}
}

// sharing notes what it was told.
type sharing struct {
	counting
	told [][3]float64
}

func (s *sharing) Share(from, size, batch float64) {
	s.told = append(s.told, [3]float64{from, size, batch})
}

// A trainer of pooled data is told its part before every step, and paced steps take as much of a step as the
// batch is of the usual one.
func TestABlockOfDividedWork(t *testing.T) {
	t.Parallel()
	clock, err := pace.NewClock(pace.Law{Step: 10 * time.Millisecond}, seed.Stream(1, "pace"))
	if err != nil {
		t.Fatal(err)
	}
	trainer := &sharing{}
	w := newWorker(trainer, clock)
	go w.run()
	share := consensus.Share{From: .5, Size: .25, Batch: .5}
	w.begin(consensus.Train{Block: 1, Params: []float32{0}, Steps: 2, Share: share})
	r := <-w.results
	if r.asked != 10*time.Millisecond {
		t.Errorf("two steps of half a batch were to take %v", r.asked)
	}
	if want := [3]float64{.5, .25, .5}; len(trainer.told) != 2 || trainer.told[0] != want || trainer.told[1] != want {
		t.Errorf("the trainer was told %v", trainer.told)
	}
	w.halt()
	<-w.results
}

func TestAHaltCutsTheBlockShort(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	w := newWorker(&counting{gate: gate}, nil)
	go w.run()
	w.begin(consensus.Train{Block: 1, Params: []float32{0}, Steps: 1000})
	gate <- struct{}{}
	gate <- struct{}{} // the second step runs
	w.halted.Store(true)
	select {
	case gate <- struct{}{}: // the third had begun
	case <-w.results:
		t.Fatal("the result came before it was asked for")
	default:
	}
	close(gate)
	r := <-w.results
	if r.Steps < 2 || r.Steps > 4 || r.Params[0] != float32(r.Steps) {
		t.Errorf("%d steps with parameters %v", r.Steps, r.Params)
	}
	w.halt()
	<-w.results
}

func TestTheLoopNeverWaitsForALongStep(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	w := newWorker(&counting{gate: gate}, nil)
	go w.run()
	for block := uint64(1); block <= 20; block++ { // nobody lets a step end
		w.begin(consensus.Train{Block: block, Params: []float32{float32(block)}, Steps: 1})
		if block < 20 {
			w.stop(block)
		}
	}
	close(gate)
	if r := <-w.results; r.Block != 20 || r.Params[0] != 21 {
		t.Errorf("the block that was not cancelled gave %+v", r)
	}
	w.halt()
	<-w.results
}

// hourly is a pace that no test waits for.
func hourly(t *testing.T) *pace.Clock {
	t.Helper()
	clock, err := pace.NewClock(pace.Law{Step: time.Hour}, seed.Stream(1))
	if err != nil {
		t.Fatal(err)
	}
	return clock
}

func TestACancelWakesAPacedWorker(t *testing.T) {
	t.Parallel()
	w := newWorker(&counting{}, hourly(t))
	go w.run()
	w.begin(consensus.Train{Block: 1, Params: []float32{0}, Steps: 2})
	w.stop(1)
	w.begin(consensus.Train{Block: 2, Params: []float32{5}, Steps: 2})
	for len(w.jobs) > 0 { // it took the second one
		time.Sleep(time.Millisecond)
	}
	w.halt()
	if r := <-w.results; r.Block != 2 || r.Steps > 1 {
		t.Errorf("the block that was cut short gave %+v", r)
	}
	<-w.results
}

func TestPacedStepsAreCountedAgainstTheirPace(t *testing.T) {
	t.Parallel()
	clock, err := pace.NewClock(pace.Law{Step: time.Millisecond}, seed.Stream(1))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(&counting{}, clock)
	began := time.Now()
	r := w.do(consensus.Train{Block: 1, Params: []float32{0}, Steps: 4})
	if r.asked != 4*time.Millisecond || r.took() != r.asked+r.late || time.Since(began) < r.took() {
		t.Errorf("asked %s, late %s, took %s", r.asked, r.late, r.took())
	}
}

// sleepy takes a time for every step.
type sleepy struct {
	counting
	step time.Duration
}

func (s *sleepy) Step(params []float32) (float32, error) {
	time.Sleep(s.step)
	return s.counting.Step(params)
}

func TestStepsThatTakeLongerThanTheirPaceAreLate(t *testing.T) {
	t.Parallel()
	clock, err := pace.NewClock(pace.Law{Step: 2 * time.Millisecond}, seed.Stream(1))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(&sleepy{step: 3 * time.Millisecond}, clock)
	r := w.do(consensus.Train{Block: 1, Params: []float32{0}, Steps: 8})
	if r.asked != 16*time.Millisecond || r.late < 8*time.Millisecond {
		t.Errorf("asked %s, late %s", r.asked, r.late)
	}
	var a account
	a.block(r)
	if !a.read().Overloaded() {
		t.Error("steps that take 1.5 times as long as asked for do not count as overloaded")
	}
}

func TestWhatCannotBeBuiltUponIsAnError(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	gone := errors.New("gone")
	for _, c := range []struct {
		trainer counting
		start   float32
		want    string
	}{
		{counting{loss: nan}, 0, "loss is NaN"},
		{counting{loss: float32(math.Inf(1))}, 0, "loss is +Inf"},
		{counting{}, nan, "a parameter is not finite"},
		{counting{fail: gone}, 0, "local step: gone"},
	} {
		w := newWorker(&c.trainer, nil)
		r := w.do(consensus.Train{Block: 1, Params: []float32{c.start}, Steps: 3})
		if r.err == nil || !strings.Contains(r.err.Error(), c.want) {
			t.Errorf("%v does not say %q", r.err, c.want)
		}
	}
}
