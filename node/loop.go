package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/gossip"
	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/wire"
)

// ErrData is in the error of Open when the data of the task cannot be read.
var ErrData = errors.New("load the data")

// ErrDiverged is in the error of Run when training produced a value that is not finite.
var ErrDiverged = errors.New("training diverged")

// divergence is the error of a step that cannot be built upon.
type divergence struct {
	step  uint64
	cause error
}

func (d *divergence) Error() string   { return fmt.Sprintf("step %d: %v", d.step, d.cause) }
func (d *divergence) Unwrap() []error { return []error{ErrDiverged, d.cause} }

// ErrKilled is the cause of a context that ends a run without a goodbye, a last evaluation and a
// checkpoint, as SIGKILL ends a process.
var ErrKilled = errors.New("killed")

// killed is the reason of such an end.
const killed = "killed"

// Result is how a run ended.
type Result struct {
	Reason string // stopped, killed, time, steps, target, diverged
	Round  uint64
	Steps  uint64
	Score  *train.Score // on the held-out samples; nil when it could not be measured
	Params []float32
	// Late is the share of paced time by which steps missed their pace.
	Late float64
}

// loop is the state of one run that only its goroutine touches.
type loop struct {
	*Node
	timer  *time.Timer
	tick   *time.Ticker
	judge  *judge
	saved  chan observe.Checkpoint
	saving bool
	stop   string // why the run ends; empty: it goes on
	failed error
	report report
	evalAt consensus.Time   // of the last evaluation
	listed []consensus.Peer // the member list that was told
	// format tells how long an estimate is on the wire, frameBytes how long the last one sent was.
	format     wire.Format
	frameBytes int64
	reached    map[consensus.Peer]bool
}

// Run trains until the context ends, a stop condition is met, or training fails. It then tells the
// neighbours, saves a checkpoint and closes everything.
func (n *Node) Run(ctx context.Context) (Result, error) {
	l := &loop{
		Node: n, timer: time.NewTimer(0), tick: time.NewTicker(time.Second), judge: newJudge(n.task),
		saved: make(chan observe.Checkpoint, 1), reached: map[consensus.Peer]bool{}, listed: n.members.list,
		format: wire.Format{Params: n.task.Size()},
	}
	l.frameBytes = int64(l.format.EstimateSize())
	defer l.timer.Stop()
	defer l.tick.Stop()
	go n.worker.run()
	go l.judge.run()
	l.begin()
	for l.stop == "" {
		l.once(ctx)
	}
	return l.end()
}

// once waits for one input and takes it. This is all that a peer does.
func (l *loop) once(ctx context.Context) {
	select {
	case <-ctx.Done():
		l.stop = "stopped"
		if errors.Is(context.Cause(ctx), ErrKilled) {
			l.stop = killed
		}
	case <-l.timer.C:
		l.woken()
	case r := <-l.worker.results:
		l.trained(r)
	case ev := <-l.mesh.Events():
		l.heard(ev)
	case s := <-l.judge.scores:
		l.scored(s)
	case done := <-l.saved:
		l.checkpointed(done)
	case <-l.tick.C:
		l.ticked()
	}
}

// feed tells the machine what happened and carries out what it wants.
func (l *loop) feed(ev consensus.Event) {
	now := l.now()
	if l.options.Tape != nil {
		l.options.Tape(now, ev)
	}
	began := time.Now()
	effects := l.machine.Step(now, ev)
	took := consensus.Duration(time.Since(began))
	mixed := false
	for _, effect := range effects {
		l.carryOut(effect)
		l.observe(now, effect, took)
		_, mix := effect.(consensus.Mixed)
		mixed = mixed || mix
	}
	l.keep()
	if mixed {
		l.feed(consensus.MixTook{Duration: took})
		return
	}
	if l.stop == "" {
		l.schedule()
		l.checkStop()
	}
}

// observe tells everybody who looks on.
func (l *loop) observe(now consensus.Time, effect consensus.Effect, took consensus.Duration) {
	body := observe.FromEffect(effect, took)
	if p, ok := body.(observe.Publish); ok {
		p.Bytes, p.Whole = l.frameBytes, int64(l.format.EstimateSize())
		body = p
	}
	if body != nil {
		l.meter.Emit(now, body)
	}
	l.account.effect(effect)
	l.report.effect(effect, took)
	if l.options.Watch != nil {
		l.options.Watch(now, effect, took)
	}
}

// carryOut does what an effect asks for; observations need nothing. Once the run is over nothing new is
// begun, and the last checkpoint comes by itself.
func (l *loop) carryOut(effect consensus.Effect) {
	switch e := effect.(type) {
	case consensus.Train:
		if l.stop == "" {
			l.worker.begin(e)
		}
	case consensus.CancelTrain:
		l.worker.stop(e.Block)
	case consensus.CutTrain:
		l.worker.shorten(e.Block)
	case consensus.Send:
		if estimate, ok := e.Message.(consensus.Estimate); ok {
			l.frameBytes = int64(l.format.SizeOf(estimate))
		}
		l.mesh.Send(e.To, e.Message, e.Replace)
	case consensus.Save:
		if l.stop == "" {
			l.save()
		}
	case consensus.Published, consensus.Mixed, consensus.Lost, consensus.Straggling, consensus.Ignored:
	default:
		panic(fmt.Sprintf("node: unknown effect %T", effect))
	}
}

// schedule sets the one timer to the time at which the machine wants to be woken or the run is over.
func (l *loop) schedule() {
	next := l.machine.Wake()
	if end := l.config.Train.Stop.Time.Core(); end > 0 {
		next = min(next, consensus.Time(end))
	}
	if next == consensus.Never {
		l.timer.Stop()
		return
	}
	l.timer.Reset(max(0, time.Duration(next)-time.Since(l.zero)))
}

// woken takes the timer. It may have been set for a time that has changed since.
func (l *loop) woken() {
	if time.Since(l.zero) >= 0 && l.now() >= l.machine.Wake() {
		l.feed(consensus.Wake{})
		return
	}
	l.schedule()
	l.checkStop()
}

// trained takes a block from the worker.
func (l *loop) trained(r result) {
	if l.worker.void(r.Block) { // its result crossed the cancel
		l.feed(r.Trained)
		return
	}
	if r.err != nil {
		l.failed = &divergence{step: l.machine.Steps() + uint64(r.Steps), cause: r.err}
		l.stop = "diverged"
		return
	}
	l.account.block(r)
	l.report.block(r)
	l.meter.Emit(l.now(), observe.Step{
		Step: l.machine.Steps() + uint64(r.Steps), Steps: r.Steps, Loss: observe.Number(r.Loss),
		Compute: observe.Number(r.took().Seconds()),
	})
	l.feed(r.Trained)
}

// heard takes an event of the network.
func (l *loop) heard(ev gossip.Event) {
	switch e := ev.(type) {
	case gossip.Up:
		l.up(e)
	case gossip.Down:
		l.down(e)
	case gossip.Inbound:
		l.metrics.CountExchange("received", "ok")
		l.feed(consensus.Received{From: e.From, Message: e.Message})
	case gossip.Delivered:
		l.metrics.CountExchange("sent", "ok")
		l.feed(consensus.Sent{To: e.To, Seq: e.Seq})
	case gossip.Undelivered:
		l.undelivered(e)
	case gossip.MembersChanged:
		if l.members.hear(e, time.Now(), l.config.Topology.ForgetAfter.Std()) {
			l.rewired()
		}
	case gossip.Rejected:
		l.meter.Emit(l.now(), observe.FrameReject{
			Peer: string(e.Peer), Reason: string(e.Reason), Detail: e.Detail,
		})
		l.report.reject(l.members.name(e.Peer), e)
	case gossip.Heard:
		l.summary(e)
	case nil: // closed
		l.stop = "stopped"
	default:
		panic(fmt.Sprintf("node: unknown event %T", ev))
	}
}

func (l *loop) up(e gossip.Up) {
	l.members.names[e.Peer] = e.Name
	l.meter.Emit(l.now(), observe.Link{Up: true, Peer: string(e.Peer), Path: string(e.Path)})
	again := ""
	if l.reached[e.Peer] {
		again = " again"
	}
	l.reached[e.Peer] = true
	l.options.Say("joined     %s%s (%s)", l.members.name(e.Peer), again, e.Path)
	l.feed(consensus.Joined{Peer: e.Peer})
}

func (l *loop) down(e gossip.Down) {
	l.meter.Emit(l.now(), observe.Link{Peer: string(e.Peer), Reason: string(e.Reason)})
	if e.Reason != gossip.DownRewired {
		l.options.Say("left       %s: %s", l.members.name(e.Peer), e.Reason)
	}
	l.feed(consensus.Left{Peer: e.Peer})
	if e.Reason == gossip.DownLeft && l.members.leave(e.Peer, time.Now(), l.config.Topology.ForgetAfter.Std()) {
		l.rewired()
	}
}

// summary notes how a member is doing.
func (l *loop) summary(e gossip.Heard) {
	if !l.members.alive[e.From] {
		return // whoever it is, it takes no part
	}
	l.meter.Note(string(e.From), func(row *observe.PeerState) {
		row.Step, row.StepTime = e.Summary.Steps, observe.Seconds(e.Summary.StepTime)
		if row.Status != "straggling" {
			row.Status = "training"
		}
	})
}

func (l *loop) undelivered(e gossip.Undelivered) {
	outcome := "late"
	if e.Reason == gossip.Refused {
		outcome = "rejected"
	}
	l.metrics.CountExchange("sent", outcome)
	l.feed(consensus.SendFailed{To: e.To, Seq: e.Seq})
}

// rewired follows a change of the member list.
func (l *loop) rewired() {
	for _, change := range l.members.changes(l.listed) {
		l.meter.Emit(l.now(), change)
	}
	l.listed = l.members.list
	r, err := l.rewire()
	if err != nil {
		if l.meter.Warn(l.now(), "W101", err.Error()) {
			l.options.Say("topology   %v; the old one stays", err)
		}
		return
	}
	l.options.Say("members    %d, neighbours %d", len(r.Members), len(l.members.neighbours(r.Graph)))
	l.feed(r)
}

// keep publishes where the machine stands to other goroutines.
func (n *Node) keep() {
	n.estimate.Store(&Estimate{Round: n.machine.Round(), Steps: n.machine.Steps(), Params: n.machine.Params()})
}
