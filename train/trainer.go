// Package train is local learning: built-in models, optimizers, evaluation. It is pure: no goroutine,
// clock, file or log; data sets are read by train/data.
package train

// Trainer does local steps for one peer. It owns the optimizer's state and the order of samples.
type Trainer interface {
	// Step does one local step in place on params (length Model.Size) and returns the mini-batch
	// loss. A non-finite loss is returned as it is; params are then undefined.
	Step(params []float32) (loss float32, err error)
	// State returns what Restore needs to continue identically: optimizer and sample order.
	State() ([]byte, error)
	Restore(state []byte) error
}

// Sharer is a Trainer over data that all peers have, of which each trains on a part.
type Sharer interface {
	Trainer
	// Share makes the following steps draw from the samples at [from, from+size) of all, as shares of 1, in
	// batches so many times as large as usual: at least one sample.
	Share(from, size, batch float64)
}

// Tensor is one named parameter tensor inside the flat parameter vector.
type Tensor struct {
	Name  string
	Shape []int
}
