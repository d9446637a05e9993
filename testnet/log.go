package testnet

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/build"
	"github.com/starling-ml/starling/observe"
)

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

// openLog starts the event log in a folder with the line that says what runs.
func openLog(plan *Plan, folder string, source observe.Source) (*log, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of an event log: %w", err)
	}
	file, err := os.Create(filepath.Join(folder, "events.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("open an event log: %w", err)
	}
	l := &log{file: file, out: bufio.NewWriter(file)}
	l.stream = observe.NewStream(l.out, source, plan.Events)
	l.meter = observe.NewMeter(observe.MeterConfig{Source: source, Sink: l.stream})
	l.meter.Emit(0, observe.RunStart{
		ConfigHash: plan.Hash, Version: build.Read().Version, Seed: plan.Seed,
		Recipe: plan.Options.Recipe, Topology: plan.Kind,
	})
	return l, nil
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

// close writes the last line.
func (l *log) close(at consensus.Time, cause error) error {
	reason := "done"
	if cause != nil {
		reason = cause.Error()
	}
	l.meter.Flush(at)
	l.meter.Emit(at, observe.RunEnd{Reason: reason, Steps: l.steps})
	for _, err := range []error{l.stream.Err(), l.out.Flush(), l.file.Close()} {
		if err != nil {
			return fmt.Errorf("write an event log: %w", err)
		}
	}
	return nil
}
