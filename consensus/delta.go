package consensus

import "github.com/starling-ml/starling/vec"

// moveBy returns x + scale*(to - from). The products are converted explicitly so that no compiler
// fuses them and all machines agree to the bit.
func moveBy(x []float32, scale float32, from, to []float32) []float32 {
	moved := make([]float32, len(x))
	for i := range moved {
		moved[i] = x[i] + float32(scale*(to[i]-from[i]))
	}
	return moved
}

// difference returns scale*(to - from).
func difference(scale float32, from, to []float32) []float32 {
	d := make([]float32, len(to))
	for i := range d {
		d[i] = scale * (to[i] - from[i])
	}
	return d
}

// add returns x + times*d.
func add(x []float32, times float32, d []float32) []float32 {
	sum := vec.Clone(x)
	vec.Axpy(sum, times, d)
	return sum
}
