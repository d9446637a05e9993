package testnet

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/train"
)

// record writes the event logs of a simulated run: peers/NAME/events.jsonl for every peer, and
// events.jsonl for what concerns the network. Without a folder it does nothing.
type record struct {
	plan   *Plan
	frame  int // bytes of an estimate
	whole  *log
	byPeer map[consensus.Peer]*log
}

// log is one event log and the meter that feeds it.
type log struct {
	file     *os.File
	out      *bufio.Writer
	stream   *observe.Stream
	meter    *observe.Meter
	began    consensus.Time // the block under way
	steps    uint64
	sent     uint64 // bytes
	received uint64
}

// virtualStart is the wall time of virtual time zero, so that equal runs write equal bytes.
var virtualStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func newRecord(plan *Plan, frame int) (*record, error) {
	r := &record{plan: plan, frame: frame, byPeer: map[consensus.Peer]*log{}}
	if plan.Dir == "" {
		return r, nil
	}
	var err error
	if r.whole, err = r.open(plan.Dir, "network"); err != nil {
		return nil, err
	}
	for _, m := range plan.Members {
		l, err := r.open(filepath.Join(plan.Dir, "peers", m.Name), m.Name)
		if err != nil {
			return nil, errors.Join(err, r.close(0, err))
		}
		r.byPeer[consensus.Peer(m.Name)] = l
	}
	return r, nil
}

// open starts one log with the line that says what runs.
func (r *record) open(folder, name string) (*log, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of an event log: %w", err)
	}
	file, err := os.Create(filepath.Join(folder, "events.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("open an event log: %w", err)
	}
	l := &log{file: file, out: bufio.NewWriter(file)}
	source := observe.Source{Run: r.plan.Name, Peer: name, Name: name, Start: virtualStart, Virtual: true}
	l.stream = observe.NewStream(l.out, source, r.plan.Events)
	l.meter = observe.NewMeter(observe.MeterConfig{Source: source, Sink: l.stream})
	version, _ := Version()
	l.meter.Emit(0, observe.RunStart{
		ConfigHash: r.plan.Hash, Version: version, Seed: r.plan.Seed, Recipe: r.plan.Options.Recipe,
		Topology: r.plan.Kind,
	})
	return l, nil
}

// observe logs one event of a peer.
func (r *record) observe(at consensus.Time, self consensus.Peer, ev consensus.Event, effects []consensus.Effect) {
	l := r.byPeer[self]
	if l == nil {
		return
	}
	l.event(at, ev, r.frame)
	for _, effect := range effects {
		if _, ok := effect.(consensus.Train); ok {
			l.began = at
		}
		l.meter.Effect(at, effect, 0)
	}
}

// event logs what a driver knows and a machine does not tell.
func (l *log) event(at consensus.Time, ev consensus.Event, frame int) {
	switch e := ev.(type) {
	case consensus.Trained:
		l.steps += uint64(e.Steps)
		took := observe.Seconds(consensus.Duration(at - l.began))
		l.meter.Emit(at, observe.Step{Step: l.steps, Steps: e.Steps, Loss: observe.Number(e.Loss), Compute: took})
	case consensus.Sent:
		l.sent += uint64(frame)
		l.meter.Traffic(l.sent, l.received)
	case consensus.Received:
		if _, bulk := e.Message.(consensus.Estimate); bulk {
			l.received += uint64(frame)
			l.meter.Traffic(l.sent, l.received)
		}
	case consensus.Joined:
		l.meter.Emit(at, observe.Link{Up: true, Peer: string(e.Peer)})
	case consensus.Left:
		l.meter.Emit(at, observe.Link{Peer: string(e.Peer)})
	}
}

// perturb logs an action of the schedule.
func (r *record) perturb(at consensus.Time, a Action, target consensus.Peer) {
	if r.whole == nil {
		return
	}
	args := ""
	if a.Do == Slow {
		args = fmt.Sprintf("%gx", a.Factor)
	}
	r.whole.meter.Emit(at, observe.Perturb{
		ID: fmt.Sprintf("%s-%s", a.Do, target), Do: string(a.Do), Targets: []string{string(target)},
		Args: args, Line: a.Line,
	})
}

// eval logs an evaluation of the average model.
func (r *record) eval(at consensus.Time, score train.Score, classes []string) {
	if r.whole == nil {
		return
	}
	metrics := map[string]float64{"eval/loss": score.Loss, "eval/accuracy": score.Accuracy}
	for i, class := range classes {
		if score.Support[i] > 0 {
			metrics["eval/recall/"+class] = score.Recall[i]
		}
	}
	r.whole.meter.Emit(at, observe.Eval{On: "mean", Metrics: metrics})
}

// close ends all logs and returns the first error of any of them.
func (r *record) close(at consensus.Time, cause error) error {
	reason := "done"
	if cause != nil {
		reason = cause.Error()
	}
	var first error
	logs := []*log{r.whole}
	for _, m := range r.plan.Members {
		logs = append(logs, r.byPeer[consensus.Peer(m.Name)])
	}
	for _, l := range logs {
		if l == nil {
			continue
		}
		l.meter.Emit(at, observe.RunEnd{Reason: reason, Steps: l.steps})
		for _, err := range []error{l.stream.Err(), l.out.Flush(), l.file.Close()} {
			if err != nil && first == nil {
				first = fmt.Errorf("write an event log: %w", err)
			}
		}
	}
	return first
}
