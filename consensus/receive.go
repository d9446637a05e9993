package consensus

// received takes a message from a peer.
func (m *Machine) received(from Peer, message Message) {
	m.cause = from
	n := m.view.find(from)
	if n == nil {
		m.holdStranger(from, message)
		return
	}
	if reason := m.hear(n, message); reason != "" {
		m.ignore(from, reason)
	}
}

// hear gives a message to whom it concerns and returns why it changed nothing, or "".
func (m *Machine) hear(n *neighbour, message Message) string {
	switch message := message.(type) {
	case Estimate:
		return m.receivedEstimate(n, message)
	case Speed:
		if m.division != nil {
			return m.division.hear(m, n, message)
		}
	}
	return m.rule.hear(m, n, message)
}

// holdStranger keeps what a peer says that is not a neighbour but may become one with the next list.
func (m *Machine) holdStranger(from Peer, message Message) {
	m.held.keep(from, message)
	m.ignore(from, ReasonNotNeighbour)
}

// receivedEstimate stores a neighbour's estimate. One that overtakes the news of its link is kept: it
// is mixed when the neighbour is live.
func (m *Machine) receivedEstimate(n *neighbour, e Estimate) string {
	if m.link != nil {
		var reason string
		if e, reason = m.link.read(m, n, e); reason != "" {
			return reason
		}
	}
	if len(e.Params) != len(m.x) || (e.Extra != nil && len(e.Extra) != len(m.x)) {
		return ReasonWrongLength
	}
	if e.Seq > n.replica.Seq {
		n.replica = replica{Estimate: e, arrived: m.now}
		n.degree, n.stepTime = e.Degree, e.StepTime
		m.watchPaces()
	}
	reason := m.rule.hear(m, n, e)
	if m.join {
		m.tryJoin()
	}
	return reason
}
