package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/starling-ml/starling/train/draw"
)

// Dense is a fully connected network: layers x*W + b with ReLU between them, and on top the
// cross-entropy of a softmax (classes) or the squared error (one value). Without a hidden layer it is
// softmax or linear regression. It runs on the calling goroutine alone, whatever its size.
type Dense struct {
	layers  []layer
	classes int
	size    int
}

// layer is one x*W + b. Its scratch has one row a sample.
type layer struct {
	in, out int
	weight  int       // offset in the parameters of W, which has in rows of out columns
	bias    int       // offset of b
	y       []float32 // outputs of the last forward pass
	dy      []float32 // gradient of the loss by y
}

// NewSoftmax returns softmax regression over some classes.
func NewSoftmax(features, classes int) *Dense { return newDense([]int{features, classes}, classes) }

// NewLinear returns linear regression.
func NewLinear(features int) *Dense { return newDense([]int{features, 1}, 0) }

// NewMLP returns a classifier with hidden layers of the given widths.
func NewMLP(features int, hidden []int, classes int) *Dense {
	return newDense(slices.Concat([]int{features}, hidden, []int{classes}), classes)
}

// NewRegressor returns a network with hidden layers that predicts one value.
func NewRegressor(features int, hidden []int) *Dense {
	return newDense(slices.Concat([]int{features}, hidden, []int{1}), 0)
}

// newDense panics on widths below one: they are checked where a model is named.
func newDense(widths []int, classes int) *Dense {
	if slices.Min(widths) < 1 {
		panic(fmt.Sprintf("train: layer widths %v: every layer needs a unit", widths))
	}
	d := &Dense{classes: classes}
	for i, in := range widths[:len(widths)-1] {
		l := layer{in: in, out: widths[i+1], weight: d.size}
		l.bias = l.weight + l.in*l.out
		d.size = l.bias + l.out
		d.layers = append(d.layers, l)
	}
	return d
}

// Classes implements Model.
func (d *Dense) Classes() int { return d.classes }

// Tensors implements Model: layerN.weight of shape inputs x outputs, then layerN.bias.
func (d *Dense) Tensors() []Tensor {
	var tensors []Tensor
	for i, l := range d.layers {
		name := fmt.Sprintf("layer%d", i+1)
		tensors = append(tensors,
			Tensor{Name: name + ".weight", Shape: []int{l.in, l.out}},
			Tensor{Name: name + ".bias", Shape: []int{l.out}})
	}
	return tensors
}

// Init implements Model. Biases are 0. Weights are normal with mean 0 and a variance of gain / inputs,
// which keeps the outputs of a layer about as large as its inputs: the gain is 1 in the last layer and
// 2 below a ReLU (He et al. 2015), but 4 in the first of several layers, because inputs scaled to
// [0, 1] have a mean square well below 1.
func (d *Dense) Init(r *rand.Rand) []float32 {
	params := make([]float32, d.size)
	for i, l := range d.layers {
		gain := 2.0
		switch i {
		case len(d.layers) - 1:
			gain = 1
		case 0:
			gain = 4
		}
		deviation := math.Sqrt(gain / float64(l.in))
		for k := l.weight; k < l.bias; k++ {
			params[k] = float32(deviation * draw.Normal(r))
		}
	}
	return params
}

// Outputs implements Model.
func (d *Dense) Outputs(params, x []float32, rows int) []float32 {
	d.forward(params, x, rows)
	return d.layers[len(d.layers)-1].y
}

// Gradient implements Model.
func (d *Dense) Gradient(params []float32, b Batch, grad []float32) float32 {
	d.forward(params, b.X, b.Rows)
	top := &d.layers[len(d.layers)-1]
	top.dy = resize(top.dy, b.Rows*top.out)
	loss := lossGradient(top.y, b.Y, d.classes, top.dy)
	for i := len(d.layers) - 1; i >= 0; i-- {
		x := b.X
		if i > 0 {
			x = d.layers[i-1].y
		}
		d.layers[i].gradient(x, b.Rows, grad)
		if i > 0 {
			d.pass(i, params, b.Rows)
		}
	}
	return loss
}

// forward computes the outputs of all layers.
func (d *Dense) forward(params, x []float32, rows int) {
	for i := range d.layers {
		l := &d.layers[i]
		l.y = resize(l.y, rows*l.out)
		bias := params[l.bias : l.bias+l.out]
		for row := range rows {
			copy(l.y[row*l.out:], bias)
		}
		addProduct(plain(l.y, rows, l.out), plain(x, rows, l.in), plain(params[l.weight:], l.in, l.out))
		if i < len(d.layers)-1 {
			rectify(l.y)
		}
		x = l.y
	}
}

// gradient sets the layer's part of grad from its inputs and dy.
func (l *layer) gradient(x []float32, rows int, grad []float32) {
	weight, bias := grad[l.weight:l.bias], grad[l.bias:l.bias+l.out]
	clear(weight)
	addProduct(plain(weight, l.in, l.out), transposed(x, rows, l.in), plain(l.dy, rows, l.out))
	clear(bias)
	for row := range rows {
		for k, g := range l.dy[row*l.out : (row+1)*l.out] {
			bias[k] += g
		}
	}
}

// pass hands dy of layer i down through its weights and the ReLU below it.
func (d *Dense) pass(i int, params []float32, rows int) {
	l, below := &d.layers[i], &d.layers[i-1]
	below.dy = resize(below.dy, rows*below.out)
	clear(below.dy)
	addProduct(plain(below.dy, rows, l.in), plain(l.dy, rows, l.out), transposed(params[l.weight:], l.in, l.out))
	for k, y := range below.y {
		if y <= 0 {
			below.dy[k] = 0
		}
	}
}

// rectify replaces negative values by 0; a NaN stays, so that it shows in the loss.
func rectify(y []float32) {
	for i, v := range y {
		y[i] = max(v, 0)
	}
}

// resize returns a slice of length n, reusing the memory of s when it is enough.
func resize(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}
