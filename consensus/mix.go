package consensus

import "github.com/starling-ml/starling/vec"

// mixture is a mix being made. Its slices are reused from mix to mix.
type mixture struct {
	used    []Source
	missing []Peer
	weights []float32
	inputs  [][]float32
	base    []float32 // the estimate of this peer that inputs are compared with; nil: the newest
}

// take adds an estimate of a neighbour to the mix.
func (m *Machine) take(n *neighbour, e *Estimate, arrived Time, weight float64) {
	weight *= m.gamma()
	m.mixed.used = append(m.mixed.used, Source{
		Peer: n.name, Round: e.Round, Seq: e.Seq, Weight: float32(weight),
		Age: Duration(m.now - arrived), Staleness: int64(m.round) - int64(e.Round), Fresh: e.Seq > n.used,
	})
	m.mixed.weights = append(m.mixed.weights, float32(weight))
	m.mixed.inputs = append(m.mixed.inputs, n.facing(e.Params))
	n.used = max(n.used, e.Seq)
}

// miss notes a live neighbour that has nothing to mix.
func (m *Machine) miss(n *neighbour) {
	m.mixed.missing = append(m.mixed.missing, n.name)
}

// mixNow mixes the estimate with the mix set. A mix with nobody is observed too: the round closed.
func (m *Machine) mixNow(midBlock bool) {
	m.mixed.used, m.mixed.missing = m.mixed.used[:0], m.mixed.missing[:0]
	m.mixed.weights, m.mixed.inputs = m.mixed.weights[:0], m.mixed.inputs[:0]
	m.mixed.base = nil
	if m.mix != nil {
		m.mix.gather(m)
	}
	if m.shield != nil {
		m.shield.resist(m)
	}
	seen := Mixed{
		Round: m.round, MidBlock: midBlock, Used: m.mixed.used, Missing: m.mixed.missing,
		Distance: m.distance(), Influence: m.influence(),
	}
	if !midBlock {
		seen.Waited = Duration(m.now - m.waited)
		if seen.Waited > 0 {
			seen.WaitedFor = m.cause
		}
	}
	if len(m.mixed.inputs) > 0 {
		m.x = m.merge()
		m.block.moved = true
	}
	m.emit(seen)
}

// origin returns the estimate that the inputs of this mix are compared with.
func (m *Machine) origin() []float32 {
	if m.mixed.base != nil {
		return m.mixed.base
	}
	return m.x
}

// merge returns the estimate after the mix. Against an earlier estimate of this peer the mix is a difference,
// and what the newest one learned meanwhile stays: x += sum_j weights[j] (inputs[j] - base).
func (m *Machine) merge() []float32 {
	mixed := m.combine()
	if m.mixed.base == nil {
		return mixed
	}
	return moveBy(m.x, 1, m.mixed.base, mixed)
}

// combine returns the origin mixed with the mix set.
func (m *Machine) combine() []float32 {
	if m.options.Robust == Trim {
		return m.trim(m.origin(), m.mixed.weights, m.mixed.inputs, m.options.Attackers)
	}
	return m.blend(m.origin(), m.mixed.weights, m.mixed.inputs)
}

// blend returns x + sum_j weights[j] (inputs[j] - x) as a new vector.
func (m *Machine) blend(x []float32, weights []float32, inputs [][]float32) []float32 {
	dst := make([]float32, len(x))
	m.split(len(dst), func(lo, hi int) {
		vec.MixRange(dst, x, weights, inputs, vec.Range{Lo: lo, Hi: hi})
	})
	return dst
}

// split runs the ranges of a mix, on several cores if the driver likes.
func (m *Machine) split(n int, run func(lo, hi int)) {
	if m.config.Split == nil {
		run(0, n)
		return
	}
	m.config.Split(n, run)
}
