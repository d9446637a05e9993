package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/train"
)

// begin writes the first lines and starts the clock.
func (l *loop) begin() {
	c := l.config
	l.meter.Emit(l.now(), observe.RunStart{
		ConfigHash: l.options.ConfigHash, Version: l.options.Version, Seed: c.Train.Seed,
		Recipe: string(c.Train.Recipe), Topology: string(c.Topology.Graph), Host: c.Name,
		Steps: l.machine.Steps(),
	})
	l.sayStart()
	l.report.last = time.Now()
	var none error
	l.ready.Store(&none)
	l.schedule()
}

// checkStop ends the run when a stop condition is met.
func (l *loop) checkStop() {
	stop := l.config.Train.Stop
	switch {
	case stop.Time > 0 && l.now() >= consensus.Time(stop.Time.Core()):
		l.stop = "time"
	case stop.Steps > 0 && l.machine.Steps() >= uint64(stop.Steps):
		l.stop = "steps"
	}
}

// ticked does what is due once a second.
func (l *loop) ticked() {
	now := l.now()
	l.meter.Tick(now)
	sent, received := l.Traffic()
	l.meter.Traffic(uint64(sent), uint64(received))
	neighbours := len(l.mesh.Stats().Neighbours)
	silent := len(l.members.silent)
	l.metrics.SetNetwork(neighbours,
		map[string]int{"training": len(l.members.list) - silent, "silent": silent}, l.gap)
	l.metrics.SetOverloaded(l.account.read().Overloaded())
	if l.members.refresh(l.membersNow()) {
		l.rewired()
	}
	l.announce()
	l.report.tick(l)
	l.refusals()
	if every := l.config.Train.EvalEvery.Core(); every > 0 && now >= l.evalAt+consensus.Time(every) {
		l.evalAt = now
		l.judge.try(l.Estimate())
	}
}

// scored takes an evaluation.
func (l *loop) scored(s score) {
	l.judge.busy = false
	if s.err != nil {
		if l.meter.Warn(l.now(), "W102", s.err.Error()) {
			l.options.Say("evaluation %v", s.err)
		}
		return
	}
	l.meter.Emit(l.now(), observe.Eval{Step: s.Steps, On: "own", Metrics: l.metricsOf(s.Score)})
	l.report.score(l, s)
	if t := l.config.Train.Stop.Target; t != nil && l.config.Testnet == nil {
		value := l.metricsOf(s.Score)[t.Metric]
		if (t.AtLeast != nil && value >= *t.AtLeast) || (t.AtMost != nil && value <= *t.AtMost) {
			l.stop = "target"
		}
	}
}

// metricsOf names the parts of a score as the event log does.
func (n *Node) metricsOf(s train.Score) map[string]float64 {
	m := map[string]float64{"eval/loss": s.Loss}
	classes := n.task.Classes()
	if classes == nil {
		m["eval/rmse"] = s.RMSE
		return m
	}
	m["eval/accuracy"] = s.Accuracy
	for i, name := range classes {
		if s.Support[i] > 0 {
			m["eval/recall/"+name] = s.Recall[i]
		}
	}
	return m
}

// save takes a snapshot and writes it beside the loop. While one is being written the next is skipped:
// the machine asks again after its interval.
func (l *loop) save() {
	if l.saving {
		return
	}
	s, err := l.snapshot()
	if err != nil {
		l.checkpointed(observe.Checkpoint{Step: l.machine.Steps(), Outcome: "failed", Error: err.Error()})
		return
	}
	l.saving = true
	go func() { l.saved <- l.Node.save(s) }()
}

func (l *loop) checkpointed(done observe.Checkpoint) {
	l.saving = false
	l.meter.Emit(l.now(), done)
	if done.Outcome != "ok" {
		l.options.Say("%s; %s", done.Error, diskHint(done.Error))
	}
}

// end says goodbye, keeps what was learned, and closes everything.
func (l *loop) end() (Result, error) {
	l.ready.Store(&errEnding)
	l.stopWorker()
	result := Result{
		Reason: l.stop, Round: l.machine.Round(), Steps: l.machine.Steps(), Params: l.machine.Params(),
	}
	if a := l.account.read(); a.Asked > 0 {
		result.Late = float64(a.Late) / float64(a.Asked)
	}
	errs := []error{l.failed, l.part()}
	if l.saving {
		l.checkpointed(<-l.saved)
	}
	if l.failed == nil && l.stop != killed {
		result.Score = l.lastScore()
		errs = append(errs, l.lastSave())
	}
	exit := 0
	if l.failed != nil {
		exit = 1
	}
	l.meter.Emit(l.now(), observe.RunEnd{Reason: l.stop, Steps: result.Steps, Exit: exit})
	l.sayEnd(result)
	l.closeObservers()
	if l.store != nil {
		errs = append(errs, l.store.Close())
	}
	l.closeIdentity()
	return result, errors.Join(errs...)
}

// part leaves the network, with a goodbye unless the node is killed.
func (l *loop) part() error {
	if l.stop == killed {
		return l.mesh.Kill()
	}
	return l.mesh.Close()
}

// stopWorker ends the goroutines beside the loop. The block in flight counts as far as it came, so that
// the trainer and the estimate in the last checkpoint are of one moment.
func (l *loop) stopWorker() {
	l.worker.halt()
	for r := range l.worker.results {
		if l.failed == nil && l.stop != killed && r.Steps > 0 {
			l.trained(r)
		}
	}
	close(l.judge.jobs)
	for range l.judge.scores {
	}
}

func (l *loop) lastScore() *train.Score {
	s, err := l.task.Evaluate(l.machine.Params())
	if err != nil {
		l.options.Say("evaluation %v", err)
		return nil
	}
	l.meter.Emit(l.now(), observe.Eval{Step: l.machine.Steps(), On: "own", Metrics: l.metricsOf(s)})
	return &s
}

func (l *loop) lastSave() error {
	if l.store == nil || l.machine.Steps() == 0 {
		return nil
	}
	s, err := l.snapshot()
	if err != nil {
		return err
	}
	done := l.Node.save(s)
	l.meter.Emit(l.now(), done)
	if done.Outcome != "ok" {
		return fmt.Errorf("%w: %s", ErrStorage, done.Error)
	}
	l.options.Say("checkpoint step %d saved in %s", done.Step, l.config.Checkpoint.Dir)
	return nil
}

// ErrStorage is in the error of Run when the last checkpoint could not be written.
var ErrStorage = errors.New("save the last checkpoint")

func (n *Node) closeObservers() {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if n.server != nil {
		if err := n.server.Close(ctx); err != nil {
			n.options.Say("close the http server: %v", err)
		}
	}
	if n.log != nil {
		if err := n.log.Close(); err != nil {
			n.options.Say("%v", err)
		}
	}
}
