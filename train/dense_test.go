package train_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/starling-ml/starling/train"
)

func TestGradientIsTheSlopeOfTheLoss(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		model   train.Model
		widths  []int
		classes int
		rows    int
	}{
		{"softmax", train.NewSoftmax(7, 4), []int{7, 4}, 4, 5},
		{"linear", train.NewLinear(9), []int{9, 1}, 0, 6},
		{"mlp", train.NewMLP(6, []int{8}, 3), []int{6, 8, 3}, 3, 5},
		{"deep", train.NewMLP(5, []int{7, 6, 5}, 3), []int{5, 7, 6, 5, 3}, 3, 4},
		{"regressor", train.NewRegressor(5, []int{6}), []int{5, 6, 1}, 0, 4},
		{"wider than a tile", train.NewMLP(70, []int{3}, 200), []int{70, 3, 200}, 200, 66},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, 7))
			params := c.model.Init(r)
			for i := range params {
				params[i] += 0.1 * float32(r.NormFloat64()) // biases too
			}
			b := noise(r, c.rows, c.widths[0], c.classes)
			grad := make([]float32, len(params))
			for i := range grad {
				grad[i] = float32(math.NaN()) // must be overwritten
			}
			loss := c.model.Gradient(params, b, grad)
			same := twin{c.widths, c.classes}
			if want := same.loss(widen(params), b); math.Abs(float64(loss)-want) > 1e-5*(1+want) {
				t.Errorf("loss %v, want %v", loss, want)
			}
			for i, want := range same.slope(params, b) {
				if math.Abs(float64(grad[i])-want) > 2e-5*(1+math.Abs(want)) {
					t.Fatalf("gradient %d is %v, want %v", i, grad[i], want)
				}
			}
		})
	}
}

func widen(x []float32) []float64 {
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	return wide
}

func TestTensorsCoverTheParameters(t *testing.T) {
	t.Parallel()
	m := train.NewMLP(64, []int{48}, 10)
	want := []train.Tensor{
		{Name: "layer1.weight", Shape: []int{64, 48}},
		{Name: "layer1.bias", Shape: []int{48}},
		{Name: "layer2.weight", Shape: []int{48, 10}},
		{Name: "layer2.bias", Shape: []int{10}},
	}
	if got := m.Tensors(); !reflect.DeepEqual(got, want) {
		t.Errorf("tensors %v, want %v", got, want)
	}
	if size := train.Size(m.Tensors()); size != 3610 || len(m.Init(rand.New(rand.NewPCG(1, 1)))) != size {
		t.Errorf("size %d, want 3610 and the length of Init", size)
	}
}

// TestInitOfTheDigitsTask: W1 ~ N(0, 0.25^2), W2 ~ N(0, 1/48), biases 0. Over 3,072 and 480 values the
// standard error of a deviation is 1.3 % and 3.2 %; the bounds are four of them.
func TestInitOfTheDigitsTask(t *testing.T) {
	t.Parallel()
	p := train.NewMLP(64, []int{48}, 10).Init(rand.New(rand.NewPCG(3, 4)))
	w1, b1, w2, b2 := p[:3072], p[3072:3120], p[3120:3600], p[3600:]
	if got := deviation(w1); math.Abs(got/0.25-1) > 0.051 {
		t.Errorf("deviation of W1 %v, want 0.25", got)
	}
	if got := deviation(w2); math.Abs(got*math.Sqrt(48)-1) > 0.13 {
		t.Errorf("deviation of W2 %v, want %v", got, 1/math.Sqrt(48))
	}
	if deviation(b1) != 0 || deviation(b2) != 0 {
		t.Errorf("biases %v %v, want 0", b1, b2)
	}
}

// deviation returns the root mean square, the deviation about mean 0.
func deviation(x []float32) float64 {
	squares := 0.0
	for _, v := range x {
		squares += float64(v) * float64(v)
	}
	return math.Sqrt(squares / float64(len(x)))
}

func TestNotANumberShowsInTheLoss(t *testing.T) {
	t.Parallel()
	m := train.NewMLP(3, []int{4}, 2)
	params := m.Init(rand.New(rand.NewPCG(1, 1)))
	params[0] = float32(math.NaN())
	b := train.Batch{Rows: 1, X: []float32{1, 1, 1}, Y: []float32{1}}
	if loss := m.Gradient(params, b, make([]float32, len(params))); loss == loss {
		t.Errorf("loss %v of parameters with a NaN, want NaN", loss)
	}
}

func TestLargeLogitsDoNotOverflow(t *testing.T) {
	t.Parallel()
	m := train.NewSoftmax(1, 2)
	grad := make([]float32, 4)
	loss := m.Gradient([]float32{2000, -2000, 0, 0}, train.Batch{Rows: 1, X: []float32{1}, Y: []float32{1}}, grad)
	if loss != 4000 || grad[0] != 1 || grad[1] != -1 {
		t.Errorf("loss %v gradient %v, want 4000 and 1, -1", loss, grad[:2])
	}
}

func TestModelOfNoUnitsPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	train.NewMLP(4, []int{0}, 2)
}
