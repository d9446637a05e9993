package consensus

// plain is the rule of recipes that only train, wait and mix the newest estimates.
type plain struct{}

func (plain) steps(m *Machine) int {
	if m.options.Budget > 0 {
		return m.stepsWithin(m.options.Budget)
	}
	return m.pace.steps
}

func (plain) apply(m *Machine, done Trained) {
	m.advance(done, 1)
	if m.momentum != nil {
		m.momentum.push(m)
	}
}

func (plain) hear(m *Machine, from *neighbour, message Message) string {
	estimate, ok := message.(Estimate)
	if !ok {
		return ReasonNotSpoken
	}
	if estimate.Seq != from.replica.Seq {
		return ReasonOldEstimate
	}
	return ""
}

func (plain) greet(*Machine, *neighbour) {}
