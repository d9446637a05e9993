package checkpoint

import (
	"fmt"
	"slices"

	"github.com/starling-ml/starling/train"
)

// Flatten lays tensors out as the flat parameter vector of a model. It names the first tensor that the
// model has and the file has not, or has with another shape.
func Flatten(tensors []Tensor, model []train.Tensor) ([]float32, error) {
	byName := make(map[string]Tensor, len(tensors))
	for _, t := range tensors {
		byName[t.Name] = t
	}
	var flat []float32
	for _, want := range model {
		got, ok := byName[want.Name]
		if !ok {
			return nil, fmt.Errorf("tensor %q is missing", want.Name)
		}
		if !slices.Equal(got.Shape, want.Shape) {
			return nil, fmt.Errorf("tensor %q is %v in the file and %v in the model", want.Name, got.Shape, want.Shape)
		}
		flat = append(flat, got.Values...)
	}
	if len(tensors) > len(model) {
		return nil, fmt.Errorf("the file has %d tensors, the model %d", len(tensors), len(model))
	}
	return flat, nil
}
