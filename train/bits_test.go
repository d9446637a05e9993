package train_test

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/starling-ml/starling/train"
)

// TestBitsAreTheSameOnEveryAmd64 trains networks wider than a tile and compares the parameters with
// those of another machine. Run it with GOAMD64=v1 and v3 after touching arithmetic.
func TestBitsAreTheSameOnEveryAmd64(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("other architectures agree only with themselves")
	}
	for _, c := range []struct {
		name  string
		model train.Model
		want  uint64
	}{
		{"2NN", train.NewMLP(200, []int{256, 100}, 10), 0x38fc3b63471af373},
		{"softmax", train.NewSoftmax(200, 10), 0xa24518c546eced1},
		{"regressor", train.NewRegressor(200, []int{70}), 0xa95929c652f40fea},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			samples := table{features: 200, x: make([]float32, 200*300), y: make([]float32, 300)}
			for i := range samples.x {
				samples.x[i] = max(0, r.Float32()-0.3)
			}
			for i := range samples.y {
				samples.y[i] = float32(r.IntN(10))
			}
			params := c.model.Init(r)
			d := train.Descent{
				Batch: 80, Rate: 0.01, Momentum: 0.9, Decay: 1e-3,
				Schedule: train.Schedule{Kind: "cosine", Steps: 30, Warmup: 5, Floor: 0.1},
			}
			s, err := train.NewSGD(c.model, samples, d, rand.NewPCG(3, 4))
			if err != nil {
				t.Fatal(err)
			}
			steps(t, s, params, 20)
			score, err := train.Evaluate(c.model, params, samples, 0)
			if err != nil {
				t.Fatal(err)
			}
			h := fnv.New64a()
			if err := binary.Write(h, binary.LittleEndian, params); err != nil {
				t.Fatal(err)
			}
			if err := binary.Write(h, binary.LittleEndian, score.Loss); err != nil {
				t.Fatal(err)
			}
			if got := h.Sum64(); got != c.want {
				t.Errorf("hash %#x, want %#x (loss %v)", got, c.want, score.Loss)
			}
		})
	}
}
