package consensus

// tryJoin takes the neighbours' average as soon as every live neighbour has sent an estimate. The
// block in flight started from parameters that nobody else has any more.
func (m *Machine) tryJoin() {
	if m.phase != training {
		return
	}
	for _, n := range m.view.neighbours {
		if n.live && n.replica.Params == nil {
			return
		}
	}
	m.cancel(ReasonJoining)
	m.takeAverage()
	m.begin()
}

// adopt is tryJoin at the end of the newcomer's first block, with the estimates that are there. It
// tells whether there were any; if not, the newcomer goes on alone.
func (m *Machine) adopt(steps int) bool {
	if !m.takeAverage() {
		return false
	}
	m.steps -= uint64(steps)
	m.emit(Lost{Round: m.round, Steps: steps, Reason: ReasonJoining})
	m.begin()
	return true
}

// takeAverage moves the estimate to the plain average of the live neighbours' estimates, and the
// round to the latest of theirs.
func (m *Machine) takeAverage() bool {
	var inputs [][]float32
	round := m.round
	for _, n := range m.view.neighbours {
		if n.live && n.replica.Params != nil {
			inputs = append(inputs, n.replica.Params)
			round = max(round, n.replica.Round)
		}
	}
	if len(inputs) == 0 {
		return false
	}
	m.x = m.average(inputs)
	m.enter(round)
	m.join = false
	return true
}

// average returns the plain average of some estimates, or what is left of it when extremes are left out.
func (m *Machine) average(inputs [][]float32) []float32 {
	if m.shield != nil {
		return m.middle(inputs)
	}
	weights := make([]float32, len(inputs))
	for i := range weights {
		weights[i] = 1 / float32(len(inputs))
	}
	return m.blend(m.x, weights, inputs)
}
