package consensus

// agreement is the rule, wait and mix set of recipes whose peers agree in every round, edge by edge,
// on what is mixed: rounds close around slow peers, and the weights stay symmetric all the same.
//
// When its round closes, a peer tells every neighbour whether that one's estimate of the round is
// here (Intent). An edge is active when both ends said yes. Over active edges the peers then tell how
// many active edges they have (Degree), so that both ends compute the same Metropolis weight; with
// static degrees that message is saved.
//
// Nobody waits for a peer that has not finished: those told yes have published for this round, and
// the closer sees to it that they close soon.
type agreement struct {
	closer closer
	late   Late
	stake  participation

	linked bool         // a link came up whose other end had not spoken at the end of the last block
	closed bool         // the answers of this round are out
	since  Time         // when this peer began to wait for the closing, or for answers
	chosen []*neighbour // told yes in this round, in peer order
	told   bool         // degrees are out
	active int          // active edges of this round
}

// closer decides when a round closes.
type closer interface {
	// closes tells whether a peer that has published for its round closes it now.
	closes(m *Machine) bool
	// standing tells where an unfinished peer is among its neighbours.
	standing(m *Machine) standing
	// hear takes the messages of the recipe's own.
	hear(m *Machine, from *neighbour, message Message) string
	// greet tells a neighbour that became live what it missed.
	greet(m *Machine, n *neighbour)
	// force closes a round that nobody closed in time.
	force(m *Machine)
}

// standing is where an unfinished peer is among its neighbours.
type standing struct {
	round uint64 // the round they are in
	late  bool   // this peer's round has closed without it
	far   bool   // so long ago that being slow does not explain it: it was cut off
}

func (a *agreement) steps(m *Machine) int {
	if s := a.closer.standing(m); s.late && a.late == Abort {
		m.enter(s.round)
	}
	return m.pace.steps
}

// apply adds the block. A peer whose round has closed joins the one its neighbours are in (skip), or
// publishes for its own all the same (carry). A peer that was cut off follows even under carry,
// because the others may have gone on for long without it.
func (a *agreement) apply(m *Machine, done Trained) {
	if s := a.closer.standing(m); s.late && (a.late != Carry || a.linked || s.far) {
		m.enter(s.round)
	}
	a.linked = a.linked && !m.view.allHeard()
	scale := a.stake.scale(m.round)
	if !m.options.Participation {
		scale = 1
	}
	m.advance(done, scale)
}

func (a *agreement) begin(m *Machine) {
	a.closed, a.told, a.active, a.chosen = false, false, 0, a.chosen[:0]
	a.since = m.now
}

func (a *agreement) open(m *Machine) bool {
	if m.view.live() == 0 {
		return true
	}
	if !a.closed {
		if !a.closer.closes(m) {
			if !a.overdue(m) {
				return false
			}
			a.closer.force(m)
		}
		a.close(m)
	}
	if a.waits(m, func(l *letter) bool { return l.intent == unknown }) {
		return a.overdue(m)
	}
	if !a.told {
		a.tell(m)
	}
	return m.options.StaticDegrees || a.overdue(m) ||
		!a.waits(m, func(l *letter) bool { return l.intent == yes && l.active < 0 })
}

// close fixes the answers of this peer.
func (a *agreement) close(m *Machine) {
	a.closed, a.since = true, m.now
	for _, n := range m.view.neighbours {
		if !n.live {
			continue
		}
		l := n.inbox.at(m.round)
		include := l != nil && l.estimate != nil && l.intent != no
		if include {
			a.chosen = append(a.chosen, n)
		}
		m.answer(n, m.round, include)
	}
}

// tell gives the active neighbours the number of active edges.
func (a *agreement) tell(m *Machine) {
	a.told = true
	for _, n := range a.chosen {
		if a.isActive(m, n) {
			a.active++
		}
	}
	if m.options.StaticDegrees {
		return
	}
	degree := Degree{Epoch: m.view.epoch, Round: m.round, Active: a.active}
	for _, n := range a.chosen {
		if a.isActive(m, n) {
			m.emit(Send{To: n.name, Message: degree})
		}
	}
}

func (a *agreement) isActive(m *Machine, n *neighbour) bool {
	l := n.inbox.at(m.round)
	return n.live && l != nil && l.estimate != nil && l.intent == yes
}

// waits tells whether something is missing from a live neighbour that was told yes.
func (a *agreement) waits(m *Machine, missing func(*letter) bool) bool {
	for _, n := range a.chosen {
		if l := n.inbox.at(m.round); n.live && l != nil && missing(l) {
			return true
		}
	}
	return false
}

func (a *agreement) overdue(m *Machine) bool { return m.now >= a.wake(m) }

func (a *agreement) wake(m *Machine) Time {
	if limit := m.waitLimit(); limit > 0 {
		return a.since + Time(limit)
	}
	return Never
}

// gather mixes over the active edges.
func (a *agreement) gather(m *Machine) {
	for _, n := range m.view.neighbours {
		if !n.live {
			continue
		}
		l := n.inbox.at(m.round)
		if !a.isChosen(n) || !a.isActive(m, n) || (!m.options.StaticDegrees && l.active < 0) {
			m.miss(n)
			continue
		}
		mine, theirs := a.active, l.active
		if m.options.StaticDegrees {
			mine, theirs = m.last.Degree, l.estimate.Degree
		}
		m.take(n, l.estimate, l.arrived, metropolis(mine, theirs))
	}
	if len(m.mixed.used) == 0 && m.view.live() > 0 {
		m.emit(Lost{Round: m.round, Steps: m.block.asked, Reason: ReasonMixedByNobody})
	}
}

func (a *agreement) isChosen(n *neighbour) bool {
	for _, c := range a.chosen {
		if c == n {
			return true
		}
	}
	return false
}
