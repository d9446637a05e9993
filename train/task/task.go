package task

import (
	"fmt"
	"math/rand/v2"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/data"
)

// Task is a data set, a model and an optimizer. It is immutable; any number of goroutines may use it.
type Task struct {
	Spec   Spec // with defaults
	split  *data.Split
	hidden []int
	size   int
}

// Load reads the data of a spec. Tasks over the same data share it.
func Load(s Spec) (*Task, error) {
	s = s.WithDefaults()
	if err := s.Validate(); err != nil {
		return nil, err
	}
	split, err := load(s)
	if err != nil {
		return nil, data.Unusable(err)
	}
	t := &Task{Spec: s, split: split}
	if t.hidden, err = s.hidden(); err != nil {
		return nil, err
	}
	if t.size = train.Size(t.Tensors()); t.size > maxSize {
		return nil, data.Unusable(fmt.Errorf("model %s has %d parameters: at most %d are learned here",
			s.Model, t.size, maxSize))
	}
	return t, nil
}

// maxSize is a gigabyte of parameters. A peer holds ten such vectors and more; without a limit a typing
// mistake ends in a process that the system kills.
const maxSize = 1 << 28

// Model returns a new model, with scratch memory of its own, for one trainer.
func (t *Task) Model() train.Model {
	features, classes := t.split.Train.Features(), len(t.Classes())
	switch {
	case t.Spec.Model == "softmax":
		return train.NewSoftmax(features, classes)
	case t.Spec.Model == "linear":
		return train.NewLinear(features)
	case t.Spec.Kind == Regression:
		return train.NewRegressor(features, t.hidden)
	}
	return train.NewMLP(features, t.hidden, classes)
}

// Tensors names the parts of the parameter vector.
func (t *Task) Tensors() []train.Tensor { return t.Model().Tensors() }

// Size returns the number of parameters.
func (t *Task) Size() int { return t.size }

// Initial returns the estimate that every peer of a run starts from.
func (t *Task) Initial(root uint64) []float32 { return t.Model().Init(seed.Stream(root, "init")) }

// Train returns the part of the data to train on; no seed changes what is held out.
func (t *Task) Train() data.Shard { return t.split.Train }

// Test returns the held-out part.
func (t *Task) Test() data.Shard { return t.split.Test }

// Classes returns the names of the classes in order; nil for a regression.
func (t *Task) Classes() []string { return t.split.Train.Classes }

// Split deals the training part, one partition and one shard a peer.
func (t *Task) Split(parts []data.Partition, root uint64) ([]data.Shard, error) {
	return data.Deal(t.split.Train, parts, root)
}

// Pool returns the training part in an order of the seed, for peers that share all of it: any part of it is
// like any other.
func (t *Task) Pool(root uint64) (data.Shard, error) {
	shards, err := data.Deal(t.split.Train, make([]data.Partition, 1), root)
	if err != nil {
		return data.Shard{}, err
	}
	return shards[0], nil
}

// Trainer returns the trainer of one peer, which draws its batches in an order of its own.
func (t *Task) Trainer(shard data.Shard, root uint64, peer string) (*train.SGD, error) {
	source := rand.NewPCG(seed.Derive(root, "batches", peer), 0)
	trainer, err := train.NewSGD(t.Model(), shard, t.Spec.descent(), source)
	if err != nil {
		return nil, fmt.Errorf("trainer of peer %s: %w", peer, err)
	}
	return trainer, nil
}

// Evaluate judges parameters on the whole held-out part.
func (t *Task) Evaluate(params []float32) (train.Score, error) { return t.EvaluateOn(params, 0) }

// EvaluateOn judges parameters on the first samples of the held-out part, or on all of them if limit is
// 0. The loss is in scaled units; the RMSE of a regression is in the unit of the data file.
func (t *Task) EvaluateOn(params []float32, limit int) (train.Score, error) {
	score, err := train.Evaluate(t.Model(), params, t.split.Test, limit)
	score.RMSE *= t.split.Test.Target.Deviation
	return score, err
}
