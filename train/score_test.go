package train_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/starling-ml/starling/train"
)

// TestScoreByHand uses a softmax of one input and three classes whose logits are (0, x, -x): x > 0 is
// class 1, x < 0 class 2, and class 0 never wins but in a draw.
func TestScoreByHand(t *testing.T) {
	t.Parallel()
	m := train.NewSoftmax(1, 4)
	params := []float32{0, 1, -1, -100, 0, 0, 0, 0}
	samples := table{features: 1, x: []float32{2, 3, -1, 4, 0}, y: []float32{1, 1, 1, 2, 0}}
	score, err := train.Evaluate(m, params, samples, 0)
	if err != nil {
		t.Fatal(err)
	}
	if score.Samples != 5 || score.Accuracy != 0.6 || score.RMSE != 0 {
		t.Errorf("score %+v, want 3 of 5 right", score)
	}
	if want := []float64{1, 2.0 / 3, 0, 0}; !slices.Equal(score.Recall, want) {
		t.Errorf("recall %v, want %v", score.Recall, want)
	}
	if want := []int{1, 3, 1, 0}; !slices.Equal(score.Support, want) {
		t.Errorf("support %v, want %v", score.Support, want)
	}
	first, err := train.Evaluate(m, params, samples, 2)
	if err != nil || first.Samples != 2 || first.Accuracy != 1 {
		t.Errorf("score of two samples %+v, %v", first, err)
	}
}

func TestScoreOfManyChunksIsTheTwins(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	for _, classes := range []int{0, 5} {
		b := noise(r, 700, 3, classes)
		var m train.Model = train.NewMLP(3, []int{4}, 5)
		widths := []int{3, 4, 5}
		if classes == 0 {
			m, widths = train.NewRegressor(3, []int{4}), []int{3, 4, 1}
		}
		params := m.Init(r)
		score, err := train.Evaluate(m, params, tableOf(b), 0)
		if err != nil {
			t.Fatal(err)
		}
		want := twin{widths, classes}.loss(widen(params), b)
		if math.Abs(score.Loss-want) > 1e-6*(1+want) {
			t.Errorf("%d classes: loss %v, want %v", classes, score.Loss, want)
		}
		if classes == 0 && math.Abs(score.RMSE-math.Sqrt(2*want)) > 1e-6 {
			t.Errorf("root mean square error %v, want %v", score.RMSE, math.Sqrt(2*want))
		}
	}
}

func TestNothingToJudge(t *testing.T) {
	t.Parallel()
	m := train.NewLinear(1)
	if _, err := train.Evaluate(m, []float32{1, 2}, table{features: 1}, 0); err == nil {
		t.Error("no samples, but a score")
	}
	if _, err := train.Evaluate(m, []float32{1}, table{features: 1, x: []float32{1}, y: []float32{1}}, 0); err == nil {
		t.Error("too few parameters, but a score")
	}
}

func TestLikeliest(t *testing.T) {
	t.Parallel()
	class, p := train.Likeliest([]float32{0, float32(math.Log(3)), 0})
	if class != 1 || math.Abs(p-0.6) > 1e-6 {
		t.Errorf("class %d with %v, want 1 with 0.6", class, p)
	}
}
