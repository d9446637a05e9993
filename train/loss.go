package train

import (
	"math"

	"github.com/starling-ml/starling/vec"
)

// lossGradient sets dy to the gradient, by the outputs, of the mean loss of some rows and returns that
// loss. With classes the outputs are logits and targets are class indices; without, there is one output
// a row and the loss is half the squared error.
func lossGradient(outputs, targets []float32, classes int, dy []float32) float32 {
	rows := len(targets)
	share := 1 / float32(rows)
	loss := 0.0
	if classes == 0 {
		for i, target := range targets {
			dy[i] = share * (outputs[i] - target)
			loss += halfSquare(outputs[i], target)
		}
		return float32(loss / float64(rows))
	}
	for i, target := range targets {
		z, d := outputs[i*classes:(i+1)*classes], dy[i*classes:(i+1)*classes]
		loss += softmax(z, d, int(target))
		d[int(target)]--
		for k := range d {
			d[k] = float32(d[k] * share)
		}
	}
	return float32(loss / float64(rows))
}

// softmax sets p to the probabilities of the logits z and returns the cross-entropy of class y, in
// nats. A NaN in z makes everything NaN.
func softmax(z, p []float32, y int) float64 {
	most := float64(z[0])
	for _, v := range z {
		most = max(most, float64(v))
	}
	sum := 0.0
	for k, v := range z {
		e := vec.Exp(float64(v) - most)
		p[k] = float32(e)
		sum += e
	}
	scale := float32(1 / sum)
	for k := range p {
		p[k] = float32(p[k] * scale)
	}
	return vec.Log(sum) + most - float64(z[y])
}

// halfSquare returns half the squared error. The product is exact in float64 or rounded before use.
func halfSquare(output, target float32) float64 {
	e := float64(output) - float64(target)
	return float64(e * e / 2)
}

// Likeliest returns the class with the largest logit and its probability.
func Likeliest(logits []float32) (class int, probability float64) {
	p := make([]float32, len(logits))
	class = best(logits)
	softmax(logits, p, class)
	return class, float64(p[class])
}

// best returns the index of the largest value, the first of equal ones; NaN never wins.
func best(z []float32) int {
	at, most := 0, float32(math.Inf(-1))
	for i, v := range z {
		if v > most {
			at, most = i, v
		}
	}
	return at
}
