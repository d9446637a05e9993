package train

import (
	"fmt"
	"math"
)

// Score is how well parameters do on samples that were not trained on.
type Score struct {
	Samples  int     // judged
	Loss     float64 // mean; NaN or infinite if the parameters are
	Accuracy float64 // share of right classes; 0 for a regression
	// Recall is, by class, the share of its samples that were recognised; 0 where Support is 0.
	Recall  []float64
	Support []int   // samples by class
	RMSE    float64 // root mean square error of a regression; 0 for classes
}

// evalRows is the number of samples judged at once.
const evalRows = 256

// Evaluate judges params on the first limit samples, or on all of them if limit is 0.
func Evaluate(model Model, params []float32, samples Samples, limit int) (Score, error) {
	if size := Size(model.Tensors()); len(params) != size {
		return Score{}, fmt.Errorf("%d parameters for a model of %d", len(params), size)
	}
	count := samples.Len()
	if limit > 0 {
		count = min(count, limit)
	}
	if count == 0 {
		return Score{}, fmt.Errorf("no samples to evaluate on: hold some of the data out")
	}
	t := newTally(model.Classes())
	width := samples.Features()
	x, y := make([]float32, min(count, evalRows)*width), make([]float32, min(count, evalRows))
	for from := 0; from < count; from += evalRows {
		rows := min(evalRows, count-from)
		for i := range rows {
			y[i] = samples.Read(from+i, x[i*width:(i+1)*width])
		}
		t.add(model.Outputs(params, x[:rows*width], rows), y[:rows])
	}
	return t.score(count), nil
}

// tally adds up what a Score needs.
type tally struct {
	loss           float64
	right, support []int
	probability    []float32
}

func newTally(classes int) *tally {
	return &tally{right: make([]int, classes), support: make([]int, classes), probability: make([]float32, classes)}
}

func (t *tally) add(outputs, targets []float32) {
	classes := len(t.support)
	for i, target := range targets {
		if classes == 0 {
			t.loss += halfSquare(outputs[i], target)
			continue
		}
		z, class := outputs[i*classes:(i+1)*classes], int(target)
		t.loss += softmax(z, t.probability, class)
		t.support[class]++
		if best(z) == class {
			t.right[class]++
		}
	}
}

func (t *tally) score(samples int) Score {
	s := Score{Samples: samples, Loss: t.loss / float64(samples)}
	if len(t.support) == 0 {
		s.RMSE = math.Sqrt(2 * s.Loss)
		return s
	}
	s.Support, s.Recall = t.support, make([]float64, len(t.support))
	right := 0
	for class, n := range t.support {
		right += t.right[class]
		if n > 0 {
			s.Recall[class] = float64(t.right[class]) / float64(n)
		}
	}
	s.Accuracy = float64(right) / float64(samples)
	return s
}
