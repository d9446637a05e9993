package train_test

import (
	"math"
	"math/rand/v2"

	"github.com/starling-ml/starling/train"
)

// twin is a dumb version of Dense in float64, for its loss alone: plain loops over math.Exp.
type twin struct {
	widths  []int
	classes int
}

func (d twin) loss(params []float64, b train.Batch) float64 {
	total := 0.0
	for row := range b.Rows {
		x := make([]float64, d.widths[0])
		for i := range x {
			x[i] = float64(b.X[row*len(x)+i])
		}
		out := d.outputs(params, x)
		y := float64(b.Y[row])
		if d.classes == 0 {
			total += (out[0] - y) * (out[0] - y) / 2
			continue
		}
		sum := 0.0
		for _, z := range out {
			sum += math.Exp(z)
		}
		total += math.Log(sum) - out[int(y)]
	}
	return total / float64(b.Rows)
}

func (d twin) outputs(params, x []float64) []float64 {
	at := 0
	for l, in := range d.widths[:len(d.widths)-1] {
		out := d.widths[l+1]
		y := make([]float64, out)
		for k := range y {
			for i := range in {
				y[k] += x[i] * params[at+i*out+k]
			}
			y[k] += params[at+in*out+k]
			if l < len(d.widths)-2 {
				y[k] = math.Max(0, y[k])
			}
		}
		at += in*out + out
		x = y
	}
	return x
}

// slope returns the gradient of the loss by central differences.
func (d twin) slope(params []float32, b train.Batch) []float64 {
	const h = 1e-6
	p := make([]float64, len(params))
	for i, v := range params {
		p[i] = float64(v)
	}
	slope := make([]float64, len(p))
	for i, v := range p {
		p[i] = v + h
		up := d.loss(p, b)
		p[i] = v - h
		slope[i] = (up - d.loss(p, b)) / (2 * h)
		p[i] = v
	}
	return slope
}

// noise returns a batch of normal inputs with random classes, or normal targets without classes.
func noise(r *rand.Rand, rows, features, classes int) train.Batch {
	b := train.Batch{Rows: rows, X: make([]float32, rows*features), Y: make([]float32, rows)}
	for i := range b.X {
		b.X[i] = float32(r.NormFloat64())
	}
	for i := range b.Y {
		if b.Y[i] = float32(r.NormFloat64()); classes > 0 {
			b.Y[i] = float32(r.IntN(classes))
		}
	}
	return b
}

// table is samples in memory.
type table struct {
	features int
	x, y     []float32
}

func (t table) Len() int      { return len(t.y) }
func (t table) Features() int { return t.features }
func (t table) Read(i int, x []float32) float32 {
	copy(x, t.x[i*t.features:(i+1)*t.features])
	return t.y[i]
}

func tableOf(b train.Batch) table { return table{features: len(b.X) / b.Rows, x: b.X, y: b.Y} }
