package consensus

// rewired takes a new member list and graph. Neighbours that stay keep what was agreed with them.
func (m *Machine) rewired(r Rewired) {
	m.view.rewire(m.config.Self, r)
	if m.division != nil {
		m.division.rewired(m)
	}
	if w, ok := m.rule.(rewirer); ok {
		w.rewired(m)
	}
	for _, n := range m.view.neighbours {
		if n.live && n.queued < m.last.Seq {
			m.greet(n)
		}
	}
	m.hearHeld()
}

// greet gives a neighbour that became live our last publish, so that it has a replica at once and,
// where rounds are in step, learns the round.
func (m *Machine) greet(n *neighbour) {
	if m.last.Seq > 0 {
		m.resend(n)
	}
	m.rule.greet(m, n)
	if m.division != nil {
		m.division.greet(m, n)
	}
}

// joined counts a neighbour as live.
func (m *Machine) joined(name Peer) {
	known := m.view.linked[name]
	n := m.view.link(name)
	switch {
	case n != nil:
		m.greet(n)
	case known:
		m.ignore(name, ReasonKnown)
	default:
		m.ignore(name, ReasonNotNeighbour)
	}
}

// left stops waiting for a neighbour.
func (m *Machine) left(name Peer) {
	n := m.view.find(name)
	switch {
	case n == nil:
		m.ignore(name, ReasonNoLink)
	case !n.live:
		m.ignore(name, ReasonKnown)
	case n.busy() && n.queued == m.flight.seq:
		m.land()
	}
	if n != nil && m.link != nil {
		m.link.lost(m, n)
	}
	m.view.unlink(name)
	m.watchPaces()
}
