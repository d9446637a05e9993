package consensus

// rewired takes a new member list and graph. A round that waits is agreed on afresh under it.
func (m *Machine) rewired(r Rewired) {
	m.view.rewire(m.config.Self, r)
	if m.phase == waiting {
		m.wait.begin(m)
		m.greet()
	}
	m.hearHeld()
}

// greet sends the last publish to neighbours that became live without having got it.
func (m *Machine) greet() {
	for _, n := range m.view.neighbours {
		if n.live && n.queued < m.last.Seq {
			m.send(n)
		}
	}
}

// joined counts a neighbour as live and gives it our last publish, so that it has a replica at once
// and, where rounds are in step, learns the round.
func (m *Machine) joined(name Peer) {
	if !m.view.isMember(name) {
		m.view.link(name)
		m.ignore(name, ReasonNotMember)
		return
	}
	n := m.view.link(name)
	if n == nil {
		m.ignore(name, ReasonKnown)
		return
	}
	if m.last.Seq > 0 {
		m.send(n)
	}
}

// left stops waiting for a neighbour.
func (m *Machine) left(name Peer) {
	if n := m.view.find(name); n != nil && n.live && n.queued == m.flight.seq && n.busy() {
		m.land()
	}
	if m.view.unlink(name) == nil {
		m.ignore(name, ReasonKnown)
		return
	}
	m.watchPaces()
}
