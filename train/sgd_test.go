package train_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/vec"
)

// digitsLike is a task of the size of the digits, with classes that depend on the inputs.
func digitsLike(r *rand.Rand) table {
	b := noise(r, 200, 64, 10)
	for i := range b.Y {
		b.Y[i] = float32(math.Abs(math.Mod(float64(int(4*b.X[i*64])), 10)))
	}
	return tableOf(b)
}

func newSGD(t testing.TB, d train.Descent) (*train.SGD, []float32) {
	t.Helper()
	m := train.NewMLP(64, []int{48}, 10)
	s, err := train.NewSGD(m, digitsLike(rand.New(rand.NewPCG(1, 2))), d, rand.NewPCG(3, 4))
	if err != nil {
		t.Fatal(err)
	}
	return s, m.Init(rand.New(rand.NewPCG(5, 6)))
}

// steps does some steps and returns their losses.
func steps(t testing.TB, s train.Trainer, params []float32, n int) []float32 {
	t.Helper()
	losses := make([]float32, n)
	for i := range losses {
		loss, err := s.Step(params)
		if err != nil {
			t.Fatal(err)
		}
		losses[i] = loss
	}
	return losses
}

func TestStepFallsAlongTheGradient(t *testing.T) {
	t.Parallel()
	// One sample, so that the batch is known: x = (1, 2), target 3, prediction 0; the gradient by the
	// weights is (-3, -6) and by the bias -3.
	samples := table{features: 2, x: []float32{1, 2}, y: []float32{3}}
	d := train.Descent{
		Batch: 2, Rate: 0.5, Momentum: 0.5, Decay: 1,
		Schedule: train.Schedule{Kind: "step", Every: 1, Factor: 0.5},
	}
	s, err := train.NewSGD(train.NewLinear(2), samples, d, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	params := []float32{0, 0, 0}
	if loss := steps(t, s, params, 1)[0]; loss != 4.5 {
		t.Errorf("loss %v, want 3*3/2", loss)
	}
	if want := []float32{1.5, 3, 1.5}; !slices.Equal(params, want) {
		t.Fatalf("after a step %v, want %v", params, want)
	}
	// Now the prediction is 1.5+6+1.5 = 9 and the error 6: gradient (6, 12, 6), decay (1.5, 3, 1.5),
	// momentum half of (-3, -6, -3), rate 0.25.
	steps(t, s, params, 1)
	if want := []float32{1.5 - 0.25*6, 3 - 0.25*12, 1.5 - 0.25*6}; vec.Distance(params, want) > 1e-6 {
		t.Errorf("after two steps %v, want %v", params, want)
	}
}

func TestRestoredTrainerContinuesIdentically(t *testing.T) {
	t.Parallel()
	falling := train.Schedule{Kind: "cosine", Steps: 60, Warmup: 5}
	for name, d := range map[string]train.Descent{
		"plain":    {Batch: 16, Rate: 0.1},
		"momentum": {Batch: 8, Rate: 0.05, Momentum: 0.9, Schedule: falling},
	} {
		first, params := newSGD(t, d)
		steps(t, first, params, 23)
		state, err := first.State()
		if err != nil {
			t.Fatal(err)
		}
		copied := slices.Clone(params)
		second, _ := newSGD(t, d)
		if err := second.Restore(state); err != nil {
			t.Fatal(err)
		}
		if a, b := steps(t, first, params, 20), steps(t, second, copied, 20); !slices.Equal(a, b) {
			t.Errorf("%s: losses %v, want %v", name, b, a)
		}
		if !slices.Equal(params, copied) {
			t.Errorf("%s: parameters differ after the restored steps", name)
		}
	}
}

func TestBadStateLeavesTheTrainerAsItWas(t *testing.T) {
	t.Parallel()
	d := train.Descent{Batch: 4, Rate: 0.1, Momentum: 0.9}
	s, params := newSGD(t, d)
	steps(t, s, params, 3)
	good, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := newSGD(t, train.Descent{Batch: 4, Rate: 0.1})
	other, err := plain.State()
	if err != nil {
		t.Fatal(err)
	}
	damaged := slices.Clone(good)
	damaged[16] ^= 0xff // inside the source of randomness
	bad := map[string][]byte{
		"another trainer": []byte("ADAM...."), "no momentum": other, "too long": append(slices.Clone(good), 0),
		"damaged": damaged, "empty": nil,
	}
	for _, n := range []int{4, 11, 12, 15, 20, 36, 39, len(good) - 1} {
		bad[fmt.Sprintf("cut at %d", n)] = good[:n]
	}
	for name, state := range bad {
		if err := s.Restore(state); err == nil {
			t.Errorf("%s: restored", name)
		}
		if now, err := s.State(); err != nil || !bytes.Equal(now, good) {
			t.Errorf("%s: the trainer changed", name)
		}
	}
}

func TestTrainersNeedSamplesAndSense(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for want, d := range map[string]train.Descent{
		"batch 0":              {Rate: 0.1},
		"learning rate 0":      {Batch: 1},
		"learning rate NaN":    {Batch: 1, Rate: nan},
		"momentum 1":           {Batch: 1, Rate: 1, Momentum: 1},
		"weight decay -1":      {Batch: 1, Rate: 1, Decay: -1},
		"unknown schedule":     {Batch: 1, Rate: 1, Schedule: train.Schedule{Kind: "linear"}},
		"no samples":           {Batch: 1, Rate: 1},
		"schedule warmup -1":   {Batch: 1, Rate: 1, Schedule: train.Schedule{Warmup: -1}},
		"step every 0":         {Batch: 1, Rate: 1, Schedule: train.Schedule{Kind: "step"}},
		"exponential factor 2": {Batch: 1, Rate: 1, Schedule: train.Schedule{Kind: "exponential", Every: 1, Factor: 2}},
		"cosine steps 0":       {Batch: 1, Rate: 1, Schedule: train.Schedule{Kind: "cosine"}},
		"cosine floor NaN":     {Batch: 1, Rate: 1, Schedule: train.Schedule{Kind: "cosine", Steps: 1, Floor: nan}},
	} {
		_, err := train.NewSGD(train.NewLinear(2), table{features: 2}, d, rand.NewPCG(1, 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	s, _ := newSGD(t, train.Descent{Batch: 1, Rate: 1})
	if _, err := s.Step(make([]float32, 5)); err == nil {
		t.Error("a step on 5 parameters of 3610 went through")
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	s, params := newSGD(t, train.Descent{Batch: 16, Rate: 0.1, Momentum: 0.9, Decay: 1e-4})
	steps(t, s, params, 1)
	if n := testing.AllocsPerRun(20, func() { _, _ = s.Step(params) }); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}

func FuzzRestore(f *testing.F) {
	d := train.Descent{Batch: 1, Rate: 0.1, Momentum: 0.5}
	newTrainer := func(t testing.TB) *train.SGD {
		samples := table{features: 1, x: []float32{1, 2}, y: []float32{1, 0}}
		s, err := train.NewSGD(train.NewLinear(1), samples, d, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	state, err := newTrainer(f).State()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(state)
	f.Add([]byte("SGD1\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, state []byte) {
		s := newTrainer(t)
		if s.Restore(state) != nil {
			return
		}
		if again, err := s.State(); err != nil || !bytes.Equal(again, state) {
			t.Errorf("restored %q, saves %q, %v", state, again, err)
		}
	})
}

// marked are samples whose input is their place.
func marked(n int) table {
	samples := table{features: 1, x: make([]float32, n), y: make([]float32, n)}
	for i := range samples.x {
		samples.x[i] = float32(i)
	}
	return samples
}

// spy is a model of one parameter that notes the batches it is given.
type spy struct {
	train.Model
	rows   int
	inputs []float32
}

func (s *spy) Gradient(params []float32, b train.Batch, grad []float32) float32 {
	s.rows, s.inputs = b.Rows, append(s.inputs, b.X[:b.Rows]...)
	return s.Model.Gradient(params, b, grad)
}

// Batches of a share come from its part of the samples and are as large as told.
func TestShareDrawsFromAPart(t *testing.T) {
	t.Parallel()
	model := &spy{Model: train.NewLinear(1)}
	s, err := train.NewSGD(model, marked(1000), train.Descent{Batch: 10, Rate: 1e-9}, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, size, batch float64
		rows              int
		low, high         float32
	}{
		{.5, .25, 2, 20, 500, 749},
		{0, .1, .25, 3, 0, 99},
		{.999, .5, .001, 1, 999, 999}, // one sample at least
		{0, 1, 1, 10, 0, 999},
		{2, -1, 1e9, 10 * 1024, 999, 999}, // within bounds
	} {
		s.Share(c.from, c.size, c.batch)
		model.inputs = nil
		steps(t, s, make([]float32, 2), 200)
		low, high := slices.Min(model.inputs), slices.Max(model.inputs)
		if model.rows != c.rows || low < c.low || high > c.high || high-low < (c.high-c.low)/2 {
			t.Errorf("%+v: batches of %d from %v to %v", c, model.rows, low, high)
		}
	}
}
