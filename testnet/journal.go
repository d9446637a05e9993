package testnet

import (
	"fmt"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/observe"
)

// Journal is the event log of a network as a whole, events.jsonl in the folder of a run: what the
// schedule did, and how good the average model was. Without a folder it does nothing.
type Journal struct{ log *log }

// OpenJournal starts the journal of a plan whose clock is 0 at start.
func OpenJournal(plan *Plan, start time.Time) (*Journal, error) {
	if plan.Dir == "" {
		return &Journal{}, nil
	}
	source := observe.Source{
		Run: plan.Name, Peer: "network", Name: "network", Start: start, Virtual: plan.Runtime == VirtualTime,
	}
	l, err := openLog(plan, plan.Dir, source)
	if err != nil {
		return &Journal{}, err
	}
	return &Journal{log: l}, writeNetwork(plan)
}

// Perturb notes an action of the schedule.
func (j *Journal) Perturb(at consensus.Time, a Action, target consensus.Peer) {
	if j.log == nil {
		return
	}
	args := ""
	if a.Do == Slow {
		args = fmt.Sprintf("%gx", a.Factor)
	}
	j.log.meter.Emit(at, observe.Perturb{
		ID: fmt.Sprintf("%s-%s", a.Do, target), Do: string(a.Do), Targets: []string{string(target)},
		Args: args, Line: a.Line,
	})
}

// Eval notes an evaluation of the average model.
func (j *Journal) Eval(m Moment) {
	if j.log == nil {
		return
	}
	metrics := map[string]float64{"eval/loss": m.Loss}
	if len(m.Recall) > 0 {
		metrics["eval/accuracy"] = m.Accuracy
	} else {
		metrics["eval/rmse"] = m.RMSE
	}
	for class, recall := range m.Recall {
		metrics["eval/recall/"+class] = recall
	}
	at := consensus.Time(m.At * float64(consensus.Second))
	j.log.meter.Emit(at, observe.Eval{On: "mean", Metrics: metrics})
}

// Close writes the last line, with the reason why the run ended early if it did.
func (j *Journal) Close(at consensus.Time, cause error) error {
	if j.log == nil {
		return nil
	}
	return j.log.close(at, cause)
}
