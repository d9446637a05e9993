package consensus

import "slices"

// established is the closer of recipes whose rounds close over edges, each used once in a cycle: at the
// first moment at which both ends of an edge that the cycle still wants have finished. Speed decides
// which edge that is, but within one cycle the used edges join all peers, so nobody starves.
//
// An end that holds both estimates floods Established; whoever hears it closes the round. Several edges
// may win the same round: within a message delay, or because a peer finishes whose neighbours had. All
// count as used, although the ends of one of them may already have answered no to each other: it is
// then mixed in the next cycle. Cycles only grow: a peer that is behind follows the flood.
type established struct {
	cover   cover
	reach   reach
	version int    // of the view
	reached []bool // by vertex: who this peer can reach
	others  int    // members that this peer can reach, itself not counted: rounds of a cycle at most
	limit   int    // edges of the graph, which bounds what can be established in a cycle
	cycle   uint64
	used    []edge // established in this cycle
	open    uint64 // the first round not known to be closed

	partner      Peer   // the other end of a winning edge that this peer is an end of
	partnerRound uint64 // its round plus 1; 0: none
}

// cover says which edges a cycle uses until it is complete.
type cover interface {
	// plant starts a cycle over the members that this peer can reach.
	plant(m *Machine, reached []bool)
	// restart starts the next cycle over the same members.
	restart()
	// wants tells whether the use of an edge of this peer brings the cycle on.
	wants(e edge) bool
	// mark takes note of a use and tells whether the edge is one to remember: others may not know it yet.
	mark(e edge) bool
	complete() bool
}

// sync starts over with a new member list, and plants anew when members come and go.
func (c *established) sync(m *Machine) {
	if c.version != m.view.version {
		c.cycle, c.used = 0, nil
	}
	reached := c.reach.reached(m)
	if c.version == m.view.version && slices.Equal(c.reached, reached) {
		return
	}
	used := c.used
	c.version, c.reached, c.used = m.view.version, reached, nil
	c.limit, c.others = len(m.view.graph.Edges()), 0
	for vertex, in := range reached {
		if in && m.view.members[vertex] != m.config.Self {
			c.others++
		}
	}
	c.cover.plant(m, reached)
	for _, e := range used {
		c.mark(e)
	}
	if c.cover.complete() { // what was missing went with the gone
		c.turn(c.cycle + 1)
	}
}

func (c *established) closes(m *Machine) bool {
	c.reach.announceGone(m)
	c.sync(m)
	if !c.standing(m).late {
		c.establish(m)
	}
	return m.round < c.open && !c.waitsForPartner(m)
}

// establish floods the first edge of this peer that the cycle wants and whose ends have both finished.
func (c *established) establish(m *Machine) {
	me, member := m.view.vertex[m.config.Self]
	if !member {
		return
	}
	for _, n := range m.view.neighbours {
		if !n.live {
			continue
		}
		e := between(me, m.view.vertex[n.name])
		if l := n.inbox.at(m.round); l != nil && l.estimate != nil && c.cover.wants(e) {
			c.announce(m, e)
			return
		}
	}
}

// announce floods that an edge closes this peer's round.
func (c *established) announce(m *Machine, e edge) {
	u, v := m.view.members[e.u], m.view.members[e.v]
	won := Established{Epoch: m.view.epoch, Cycle: c.cycle, Round: m.round, U: min(u, v), V: max(u, v)}
	c.note(m, won)
	m.flood(won, "")
}

// hear takes an Established and passes it on once.
func (c *established) hear(m *Machine, from *neighbour, message Message) string {
	c.sync(m)
	switch message := message.(type) {
	case Done:
		if !message.Gone {
			return ReasonNotSpoken
		}
		return c.reach.hear(m, from, message)
	case Established:
		if message.Round == ^uint64(0) || message.U >= message.V {
			return ReasonMalformed
		}
		return c.hearEstablished(m, from, message)
	}
	return ReasonNotSpoken
}

func (c *established) hearEstablished(m *Machine, from *neighbour, won Established) string {
	if won.Epoch != m.view.epoch {
		m.held.keep(from.name, won)
		if won.Round < c.open {
			return ReasonOtherEpoch
		}
		c.open = won.Round + 1
		m.flood(won, from.name)
		return ""
	}
	if !c.note(m, won) {
		return ReasonKnown
	}
	m.flood(won, from.name)
	return ""
}

// note takes an established edge into the state and tells whether it was news.
func (c *established) note(m *Machine, won Established) bool {
	u, known := m.view.vertex[won.U]
	v, alsoKnown := m.view.vertex[won.V]
	if !known || !alsoKnown {
		return false
	}
	news := won.Round >= c.open
	if news {
		c.open = won.Round + 1
	}
	if won.Cycle > c.cycle {
		c.turn(won.Cycle)
	}
	if won.Cycle == c.cycle && c.mark(between(u, v)) {
		news = true
	}
	c.notePartner(m, won)
	if c.cover.complete() {
		c.turn(c.cycle + 1)
	}
	return news
}

func (c *established) turn(cycle uint64) {
	c.cycle, c.used = cycle, nil
	c.cover.restart()
}

// mark counts an edge as used in this cycle and tells whether it was not before.
func (c *established) mark(e edge) bool {
	if slices.Contains(c.used, e) || len(c.used) >= c.limit || !c.cover.mark(e) {
		return false
	}
	c.used = append(c.used, e)
	return true
}

// notePartner remembers that this peer is an end of an edge that won the round it is in.
func (c *established) notePartner(m *Machine, won Established) {
	if won.Round != m.round || (won.U != m.config.Self && won.V != m.config.Self) {
		return
	}
	c.partner, c.partnerRound = won.U, won.Round+1
	if won.U == m.config.Self {
		c.partner = won.V
	}
}

// waitsForPartner tells whether the estimate of the other end of the winning edge, who has finished,
// is still on its way: mixing without it would lose the edge that this round was closed for.
func (c *established) waitsForPartner(m *Machine) bool {
	if c.partnerRound != m.round+1 {
		return false
	}
	n := m.view.find(c.partner)
	if n == nil || !n.live || n.inbox.finished(m.round+1) { // a later one is here: this one was lost
		return false
	}
	l := n.inbox.at(m.round)
	return l == nil || (l.estimate == nil && l.intent != no)
}

// standing also counts what neighbours tell: who publishes for a round has closed the ones before, and
// who answers for one has closed it. A connected peer is never more than one cycle behind, because the
// edges to it have to be used.
func (c *established) standing(m *Machine) standing {
	for _, n := range m.view.neighbours {
		if n.live {
			c.open = max(c.open, n.inbox.current())
		}
	}
	return standing{
		round: c.open, late: m.round < c.open, far: c.open > m.round+uint64(c.others),
	}
}

// greet gives the neighbour the edges of this cycle: floods that passed while the link was down do not
// come again.
func (c *established) greet(m *Machine, n *neighbour) {
	c.sync(m)
	if c.open == 0 {
		return
	}
	for _, e := range c.used {
		u, v := m.view.members[e.u], m.view.members[e.v]
		m.emit(Send{To: n.name, Message: Established{
			Epoch: m.view.epoch, Cycle: c.cycle, Round: c.open - 1, U: min(u, v), V: max(u, v),
		}})
	}
}

// force closes the round for everybody, over the first edge of this peer.
func (c *established) force(m *Machine) {
	if m.round < c.open {
		return
	}
	for _, n := range m.view.neighbours {
		if n.live {
			c.announce(m, between(m.view.vertex[m.config.Self], m.view.vertex[n.name]))
			c.partnerRound = 0
			return
		}
	}
}
