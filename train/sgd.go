package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/starling-ml/starling/vec"
)

// Descent is how SGD goes downhill.
type Descent struct {
	Batch    int     // samples a step; small batches are noisy, large ones slow
	Rate     float64 // learning rate of the mean loss; too large a one diverges
	Schedule Schedule
	Momentum float64 // share of the last update that is repeated
	Decay    float64 // weight decay: pulls every parameter to 0 by Rate*Decay of itself a step
}

// Validate checks Batch >= 1, Rate > 0, 0 <= Momentum < 1, Decay >= 0 and the schedule.
func (d Descent) Validate() error {
	switch {
	case d.Batch < 1:
		return fmt.Errorf("batch %d: must be 1 or more", d.Batch)
	case !(d.Rate > 0 && d.Rate < 1e6):
		return fmt.Errorf("learning rate %g: must be above 0 and below 1e6", d.Rate)
	case !(d.Momentum >= 0 && d.Momentum < 1):
		return fmt.Errorf("momentum %g: must be 0 or more and below 1", d.Momentum)
	case !(d.Decay >= 0 && d.Decay < 1e6):
		return fmt.Errorf("weight decay %g: must be 0 or more and below 1e6", d.Decay)
	}
	return d.Schedule.Validate()
}

// SGD is stochastic gradient descent on mini-batches drawn with replacement. It is a Trainer.
type SGD struct {
	model    Model
	samples  Samples
	descent  Descent
	source   *rand.PCG // order of samples
	order    *rand.Rand
	step     uint64
	momentum []float32 // nil without momentum
	batch    Batch
	grad     []float32

	first, count int // the samples that batches are drawn from
}

// NewSGD returns a trainer that draws from samples. It takes over the model and the source of
// randomness; samples are only read.
func NewSGD(model Model, samples Samples, d Descent, source *rand.PCG) (*SGD, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if samples.Len() == 0 {
		return nil, fmt.Errorf("no samples to train on: give this peer a shard of the data")
	}
	size := Size(model.Tensors())
	s := &SGD{
		model: model, samples: samples, descent: d, source: source, order: rand.New(source),
		grad: make([]float32, size),
		batch: Batch{
			Rows: d.Batch, X: make([]float32, d.Batch*samples.Features()), Y: make([]float32, d.Batch),
		},
		count: samples.Len(),
	}
	if d.Momentum > 0 {
		s.momentum = make([]float32, size)
	}
	return s, nil
}

// Share implements Sharer.
func (s *SGD) Share(from, size, batch float64) {
	all := s.samples.Len()
	s.first = min(max(int(float64(all)*from), 0), all-1)
	s.count = min(max(int(math.Round(float64(all)*size)), 1), all-s.first)
	rows := max(1, int(math.Round(float64(s.descent.Batch)*min(batch, mostShares))))
	s.batch.Rows = rows
	s.batch.X, s.batch.Y = resize(s.batch.X, rows*s.samples.Features()), resize(s.batch.Y, rows)
}

// mostShares bounds a batch, as a multiple of the usual one.
const mostShares = 1024

// Step implements Trainer. It allocates nothing after the first call.
func (s *SGD) Step(params []float32) (float32, error) {
	if len(params) != len(s.grad) {
		return 0, fmt.Errorf("%d parameters for a model of %d", len(params), len(s.grad))
	}
	width := s.samples.Features()
	for row := range s.batch.Rows {
		x := s.batch.X[row*width : (row+1)*width]
		s.batch.Y[row] = s.samples.Read(s.first+s.order.IntN(s.count), x)
	}
	loss := s.model.Gradient(params, s.batch, s.grad)
	s.descend(params)
	s.step++
	return loss, nil
}

// descend moves params against the gradient. Products are converted so that no compiler fuses them.
func (s *SGD) descend(params []float32) {
	rate := float32(s.descent.Rate * s.descent.Schedule.Scale(s.step))
	if decay := float32(s.descent.Decay); decay > 0 {
		vec.Axpy(s.grad, decay, params)
	}
	update := s.grad
	if s.momentum != nil {
		keep := float32(s.descent.Momentum)
		for i, g := range s.grad {
			s.momentum[i] = float32(keep*s.momentum[i]) + g
		}
		update = s.momentum
	}
	vec.Axpy(params, -rate, update)
}

// list joins names for an error message.
func list(names []string) string { return strings.Join(names, ", ") }
