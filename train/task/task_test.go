package task_test

import (
	"testing"

	"github.com/starling-ml/starling/train/data"
	"github.com/starling-ml/starling/train/task"
)

// trained loads a task, lets one peer with all the data do some steps, and returns its parameters.
func trained(t testing.TB, s task.Spec, steps int) (*task.Task, []float32) {
	t.Helper()
	k, err := task.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	shards, err := k.Split([]data.Partition{{}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := k.Trainer(shards[0], 1, "alone")
	if err != nil {
		t.Fatal(err)
	}
	params := k.Initial(1)
	for range steps {
		if _, err := trainer.Step(params); err != nil {
			t.Fatal(err)
		}
	}
	return k, params
}

func TestModelsLearnTheirTask(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		spec     task.Spec
		steps    int
		accuracy float64
	}{
		{"digits mlp", task.Spec{LR: 0.4}, 1500, 0.95},
		{"digits softmax", task.Spec{Model: "softmax", LR: 1}, 3000, 0.955},
		{"digits momentum", task.Spec{LR: 0.05, Momentum: 0.9, WeightDecay: 1e-4}, 1500, 0.95},
		{"mnist softmax", task.Spec{Dataset: "mnist", Model: "softmax", LR: 0.1, Batch: 32}, 500, 0.87},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k, params := trained(t, c.spec, c.steps)
			score, err := k.Evaluate(params)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: accuracy %.4f loss %.4f", c.name, score.Accuracy, score.Loss)
			if score.Accuracy < c.accuracy {
				t.Errorf("accuracy %.3f, want %.3f or more", score.Accuracy, c.accuracy)
			}
		})
	}
}
