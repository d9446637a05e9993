package testnet

import (
	"math"

	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/testnet/sim"
	"github.com/starling-ml/starling/train/task"
	"github.com/starling-ml/starling/vec"
)

// Judgement is how good the peers' own models are at the end of a run.
type Judgement struct {
	Task      *task.Task
	Estimates [][]float32 // of the peers that run
}

// Fill evaluates every estimate on the held-out data and writes means, minima and the fingerprint of the
// estimates into a result.
func (j Judgement) Fill(r *Result) error {
	r.Recall = map[string]float64{}
	share := 1 / float64(len(j.Estimates))
	var loss float64
	r.AccuracyMin = math.Inf(1)
	for _, estimate := range j.Estimates {
		score, err := j.Task.Evaluate(estimate)
		if err != nil {
			return err
		}
		loss += share * score.Loss
		r.RMSE += share * score.RMSE
		r.Accuracy += share * score.Accuracy
		r.AccuracyMin = min(r.AccuracyMin, score.Accuracy)
		for class, name := range j.Task.Classes() {
			if score.Support[class] > 0 {
				r.Recall[name] += share * score.Recall[class]
			}
		}
	}
	if len(j.Estimates) == 0 {
		r.AccuracyMin, loss = 0, math.NaN()
	}
	r.Loss = observe.Number(loss)
	r.Distance = observe.Number(spread(j.Estimates))
	r.ModelHash = sim.Hash(j.Estimates)
	return nil
}

// Average returns the unweighted mean of some estimates, of which there is at least one.
func Average(estimates [][]float32) []float32 {
	mean := make([]float32, len(estimates[0]))
	for i := range mean {
		sum := 0.0
		for _, estimate := range estimates {
			sum += float64(estimate[i])
		}
		mean[i] = float32(sum / float64(len(estimates)))
	}
	return mean
}

// spread returns the root mean square distance of estimates to their average.
func spread(estimates [][]float32) float64 {
	if len(estimates) == 0 {
		return 0
	}
	mean, sum := Average(estimates), 0.0
	for _, estimate := range estimates {
		d := vec.Distance(estimate, mean)
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(estimates)))
}
