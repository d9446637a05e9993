package train_test

import (
	"math/rand/v2"
	"testing"

	"github.com/starling-ml/starling/train"
)

// BenchmarkStep times one local step: the digits task, and the networks usual for MNIST. Inputs are
// four fifths zeros, as images of digits are.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name     string
		features int
		model    train.Model
		batch    int
	}{
		{"digits-mlp-48/16", 64, train.NewMLP(64, []int{48}, 10), 16},
		{"mnist-softmax/128", 784, train.NewSoftmax(784, 10), 128},
		{"mnist-mlp-256-256/128", 784, train.NewMLP(784, []int{256, 256}, 10), 128},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			samples := table{features: c.features, x: make([]float32, 500*c.features), y: make([]float32, 500)}
			for i := range samples.x {
				samples.x[i] = max(0, r.Float32()*5-4)
			}
			for i := range samples.y {
				samples.y[i] = float32(r.IntN(10))
			}
			s, err := train.NewSGD(c.model, samples, train.Descent{Batch: c.batch, Rate: 0.1}, rand.NewPCG(3, 4))
			if err != nil {
				b.Fatal(err)
			}
			params := c.model.Init(r)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Step(params); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
