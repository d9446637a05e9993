package testnet

import (
	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/task"
)

// Moment is where a run stands, for people who watch it.
type Moment struct {
	Reading
	Recall   map[string]float64 // of the average model, by class
	StepRate float64            // local steps of all peers a second, since the start
	Waiting  float64            // share of the peers' time, since the start
}

// MomentOf puts together an evaluation of the average model and what has been counted until then.
func MomentOf(at consensus.Time, task *task.Task, score train.Score, tally *Tally) Moment {
	m := Moment{
		Reading: Reading{At: Seconds(at), Loss: score.Loss, Accuracy: score.Accuracy, RMSE: score.RMSE},
		Recall:  map[string]float64{},
	}
	for class, name := range task.Classes() {
		if score.Support[class] > 0 {
			m.Recall[name] = score.Recall[class]
		}
	}
	var sums Result
	tally.Fill(&sums, consensus.Duration(at), nil)
	m.StepRate, m.Waiting = sums.StepRate, sums.WaitingRatio
	return m
}

// Seconds is a time of the run's clock.
func Seconds(at consensus.Time) float64 { return float64(at) / float64(consensus.Second) }
