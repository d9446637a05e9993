package node

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/pace"
	"github.com/starling-ml/starling/vec"
)

// worker trains blocks in a goroutine of its own, one after the other.
type worker struct {
	jobs    chan consensus.Train // at most one waits
	results chan result
	wake    chan struct{} // ends a sleep; cancelled and halted say why
	clock   *pace.Clock   // nil: steps take what they take

	cancelled atomic.Uint64 // blocks up to this one are void
	cut       atomic.Uint64 // blocks up to this one end after the step that is running
	halted    atomic.Bool   // no step is begun any more

	mu      sync.Mutex // held during a step
	trainer train.Trainer
}

// result answers a job.
type result struct {
	consensus.Trained
	busy  time.Duration // spent computing
	asked time.Duration // paced time; 0 without a pace
	late  time.Duration // by which the paced steps missed the pace
	err   error         // training cannot go on
}

// took is the time of the steps, the pace included.
func (r result) took() time.Duration { return max(r.busy, r.asked+r.late) }

func newWorker(trainer train.Trainer, clock *pace.Clock) *worker {
	return &worker{
		jobs: make(chan consensus.Train, 1), results: make(chan result, 1),
		wake: make(chan struct{}, 1), clock: clock, trainer: trainer,
	}
}

// run does jobs until the channel closes.
func (w *worker) run() {
	defer close(w.results)
	for job := range w.jobs {
		if r := w.do(job); !w.void(job.Block) {
			w.results <- r
		}
	}
}

// begin gives the worker a block. One that waits was cancelled while the worker was in a long step: it
// makes room, because the loop must not wait for a trainer.
func (w *worker) begin(job consensus.Train) {
	select {
	case <-w.jobs:
	default:
	}
	w.jobs <- job
}

// stop voids a block; its result does not come, or crosses the cancel and is ignored by the core.
func (w *worker) stop(block uint64) {
	w.cancelled.Store(block)
	w.rouse()
}

// shorten ends a block after the local step that is running; its result comes.
func (w *worker) shorten(block uint64) {
	w.cut.Store(block)
}

// halt ends the work. The block in flight is cut short and its result still comes; then the results
// close.
func (w *worker) halt() {
	w.halted.Store(true)
	w.rouse()
	close(w.jobs)
}

func (w *worker) rouse() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// void tells whether a block was cancelled.
func (w *worker) void(block uint64) bool { return block <= w.cancelled.Load() }

func (w *worker) ended(block uint64) bool { return w.halted.Load() || w.void(block) }

// do trains one block. Paced steps end on a schedule that is set at the start of the block, so that a
// sleep that was too long shortens the next one.
func (w *worker) do(job consensus.Train) result {
	r := result{Trained: consensus.Trained{Block: job.Block, Params: vec.Clone(job.Params)}}
	due := time.Now()
	for r.Steps < job.Steps && !w.ended(job.Block) && (r.Steps == 0 || job.Block > w.cut.Load()) {
		began := time.Now()
		loss, err := w.step(r.Params, job.Share)
		if err != nil {
			r.err = fmt.Errorf("local step: %w", err)
			return r
		}
		if job.Drift != nil {
			vec.Axpy(r.Params, 1, job.Drift)
		}
		r.busy += time.Since(began)
		r.Loss = loss
		r.Steps++
		if w.clock != nil {
			step := w.clock.Next()
			if job.Share.Batch > 0 {
				step = time.Duration(float64(step) * job.Share.Batch)
			}
			r.asked += step
			due = due.Add(step)
			w.sleep(due, job.Block)
		}
	}
	if w.clock != nil {
		r.late = max(0, time.Since(due))
	}
	if !vec.Finite([]float32{r.Loss}) {
		r.err = fmt.Errorf("loss is %v", r.Loss)
	} else if !vec.Finite(r.Params) {
		r.err = fmt.Errorf("a parameter is not finite")
	}
	return r
}

func (w *worker) step(params []float32, share consensus.Share) (float32, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s, ok := w.trainer.(train.Sharer); ok && share.Size > 0 {
		s.Share(share.From, share.Size, share.Batch)
	}
	return w.trainer.Step(params)
}

// sleep waits until due or until the block is ended.
func (w *worker) sleep(due time.Time, block uint64) {
	for !w.ended(block) {
		rest := time.Until(due)
		if rest <= 0 {
			return
		}
		timer := time.NewTimer(rest)
		select {
		case <-timer.C:
		case <-w.wake: // maybe left from an earlier block: look again
			timer.Stop()
		}
	}
}

// state is the trainer's state between two steps.
func (w *worker) state() ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.trainer.State()
}
