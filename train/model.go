package train

import "math/rand/v2"

// Model is a differentiable function of a flat parameter vector. A model owns scratch memory, so that
// a step allocates nothing: it serves one trainer at a time, and what its methods return is valid
// until the next call.
type Model interface {
	// Tensors names the parts of the parameter vector, in order and without gaps.
	Tensors() []Tensor
	// Init returns an initial parameter vector.
	Init(r *rand.Rand) []float32
	// Gradient overwrites grad with the gradient of the mean loss of the batch and returns that loss.
	Gradient(params []float32, b Batch, grad []float32) (loss float32)
	// Outputs returns the outputs of rows inputs (row-major): logits, one a class, or predicted values.
	Outputs(params, x []float32, rows int) []float32
	// Classes is the number of classes; 0 for a regression.
	Classes() int
}

// Batch is a few samples: X has Rows rows of inputs, Y one class index or regression target a row.
type Batch struct {
	Rows int
	X    []float32
	Y    []float32
}

// Samples is what a trainer draws from: the shard of one peer, or a held-out set.
type Samples interface {
	// Len is the number of samples.
	Len() int
	// Features is the number of inputs of one sample.
	Features() int
	// Read copies the inputs of sample i to x and returns its class index or regression target.
	Read(i int, x []float32) (y float32)
}

// Size returns the number of parameters.
func Size(tensors []Tensor) int {
	size := 0
	for _, t := range tensors {
		size += t.Size()
	}
	return size
}

// Size returns the number of elements.
func (t Tensor) Size() int {
	size := 1
	for _, n := range t.Shape {
		size *= n
	}
	return size
}
