package consensus

import (
	"math"

	"github.com/starling-ml/starling/vec"
)

// Straggler thresholds, in local median step times.
const (
	stragglerEnter = 2.0
	stragglerLeave = 1.5
)

// watchPaces observes peers that became stragglers or are none any more. It includes this one.
func (m *Machine) watchPaces() {
	median := m.medianStep()
	if median == 0 {
		return
	}
	m.slow = m.watch(m.config.Self, m.pace.step, median, m.slow)
	for _, n := range m.view.neighbours {
		if n.live {
			n.slow = m.watch(n.name, n.stepTime, median, n.slow)
		}
	}
}

func (m *Machine) watch(name Peer, step, median Duration, slow bool) bool {
	if step == 0 {
		return slow
	}
	ratio := float64(step) / float64(median)
	switch {
	case !slow && ratio > stragglerEnter:
		m.emit(Straggling{Peer: name, Ratio: ratio, On: true})
		return true
	case slow && ratio < stragglerLeave:
		m.emit(Straggling{Peer: name, Ratio: ratio})
		return false
	}
	return slow
}

// sampled is the number of parameters up to which distances are exact. Beyond it they are measured on
// evenly spaced pieces, because reading every replica twice would double the cost of a mix.
const sampled, piece = 1 << 16, 256

// distance returns the root mean square over the mixed neighbours of the distance to this estimate.
func (m *Machine) distance() float64 {
	if len(m.mixed.inputs) == 0 {
		return 0
	}
	from, sum := m.origin(), 0.0
	for _, input := range m.mixed.inputs {
		sum += squaredDistance(from, input)
	}
	return math.Sqrt(sum / float64(len(m.mixed.inputs)))
}

func squaredDistance(a, b []float32) float64 {
	if len(a) <= sampled {
		d := vec.Distance(a, b)
		return float64(d * d) // converted, so that no compiler fuses it with the caller's sum
	}
	pieces := sampled / piece
	stride, sum := (len(a)-piece)/(pieces-1), 0.0
	for i := range pieces {
		lo := i * stride
		d := vec.Distance(a[lo:lo+piece], b[lo:lo+piece])
		sum += float64(d * d)
	}
	return sum * (float64(len(a)) / sampled)
}
