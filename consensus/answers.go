package consensus

// hear takes estimates, answers and degrees, and ends a block whose round has closed if late blocks are aborted
// or cut. Of an aborted one the neighbours are told, because one of them may still wait for this round.
func (a *agreement) hear(m *Machine, from *neighbour, message Message) string {
	reason := a.take(m, from, message)
	s := a.closer.standing(m)
	if !s.late || m.phase != training {
		return reason
	}
	switch a.late {
	case Abort:
		m.cancel(ReasonAborted)
		for _, n := range m.view.neighbours {
			if n.live {
				m.answer(n, m.round, false)
			}
		}
		m.enter(s.round)
		m.begin()
	case Cut:
		m.cut()
	}
	return reason
}

func (a *agreement) take(m *Machine, from *neighbour, message Message) string {
	switch message := message.(type) {
	case Estimate:
		return a.takeEstimate(m, from, message)
	case Intent:
		return m.takeIntent(from, message)
	case Degree:
		if message.Round < m.round {
			return ReasonOldRound
		}
		from.inbox.open(message.Round, m.config.maxAhead()).active = max(0, message.Active)
		return ""
	}
	return a.closer.hear(m, from, message)
}

// takeIntent keeps an answer. Whoever counts on this peer for a round that it has left is told so: the
// two had not heard of each other when the answers of that round were given.
func (m *Machine) takeIntent(from *neighbour, i Intent) string {
	if i.Round < m.round {
		if i.Include {
			m.answer(from, i.Round, false)
		}
		return ReasonOldRound
	}
	l := from.inbox.open(i.Round, m.config.maxAhead())
	l.intent = no
	if i.Include {
		l.intent = yes
	}
	return ""
}

// takeEstimate keeps an estimate for its round. One that comes after its round has closed here is
// answered no, so that its sender does not count on it.
func (a *agreement) takeEstimate(m *Machine, from *neighbour, e Estimate) string {
	reason := m.keep(from, e)
	if reason == ReasonOldRound {
		m.answer(from, e.Round, false)
	}
	return reason
}

// greet tells a neighbour that became live what it missed, and a no when the answers of this round
// were given before.
func (a *agreement) greet(m *Machine, n *neighbour) {
	a.linked = true
	a.closer.greet(m, n)
	if m.phase == waiting && a.closed {
		m.answer(n, m.round, false)
	}
}

func (m *Machine) answer(n *neighbour, round uint64, include bool) {
	m.emit(Send{To: n.name, Message: Intent{Epoch: m.view.epoch, Round: round, Include: include}})
}

// enter moves the peer to a later round without closing those between.
func (m *Machine) enter(round uint64) {
	if round <= m.round {
		return
	}
	m.round = round
	for _, n := range m.view.neighbours {
		n.inbox.before(round)
	}
}
