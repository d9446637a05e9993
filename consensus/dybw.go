package consensus

import "slices"

// dybw closes a round by the threshold rule of Xiong, Yan, Singh and Li (2102.06280), without a
// sequencer: at the first moment at which both ends of a tree edge that was not used in this cycle
// have finished. Speed decides which edge that is, but within one cycle every tree edge is used, so
// the union of the active edges is connected and no peer starves.
//
// An end that holds both estimates floods Established; whoever hears it closes the round. Two edges
// may win the same round within a message delay. Both count as used, although the ends of one of them
// may already have answered no to each other: it is then mixed in the next cycle. Cycles only grow: a
// peer that is behind follows the flood.
type dybw struct {
	tree  tree
	reach reach
	cycle uint64
	used  []bool // by tree edge: established in this cycle
	other []edge // established in this cycle, not in this peer's tree (views differ for a moment)
	open  uint64 // the first round not known to be closed

	partner      Peer   // the other end of a winning edge that this peer is an end of
	partnerRound uint64 // its round plus 1; 0: none
}

// sync starts over with a new member list, and plants a new tree when members come and go.
func (d *dybw) sync(m *Machine) {
	if d.tree.version != m.view.version {
		d.cycle, d.other, d.used = 0, nil, nil
	}
	reached := d.reach.reached(m)
	if d.tree.version == m.view.version && slices.Equal(d.tree.reached, reached) {
		return
	}
	used := d.usedEdges()
	d.tree.plant(m, reached)
	d.used, d.other = make([]bool, len(d.tree.edges)), nil
	for _, e := range used {
		d.mark(e)
	}
	if d.complete() { // what was missing went with the gone
		d.turn(d.cycle + 1)
	}
}

func (d *dybw) closes(m *Machine) bool {
	d.reach.announceGone(m)
	d.sync(m)
	if !d.standing(m).late {
		d.establish(m)
	}
	return m.round < d.open && !d.waitsForPartner(m)
}

// establish floods the first unused tree edge of this peer whose ends have both finished.
func (d *dybw) establish(m *Machine) {
	for i, e := range d.tree.edges {
		if d.used[i] || !e.touches(d.tree.me) {
			continue
		}
		n := m.view.find(m.view.members[e.other(d.tree.me)])
		if n == nil || !n.live {
			continue
		}
		if l := n.inbox.at(m.round); l != nil && l.estimate != nil {
			d.announce(m, e)
			return
		}
	}
}

// announce floods that the tree edge e closes this peer's round.
func (d *dybw) announce(m *Machine, e edge) {
	u, v := m.view.members[e.u], m.view.members[e.v]
	won := Established{Epoch: m.view.epoch, Cycle: d.cycle, Round: m.round, U: min(u, v), V: max(u, v)}
	d.note(m, won)
	m.flood(won, "")
}

// hear takes an Established and passes it on once.
func (d *dybw) hear(m *Machine, from *neighbour, message Message) string {
	d.sync(m)
	switch message := message.(type) {
	case Done:
		if !message.Gone {
			return ReasonNotSpoken
		}
		return d.reach.hear(m, from, message)
	case Established:
		if message.Round == ^uint64(0) || message.U >= message.V {
			return ReasonMalformed
		}
		return d.hearEstablished(m, from, message)
	}
	return ReasonNotSpoken
}

func (d *dybw) hearEstablished(m *Machine, from *neighbour, won Established) string {
	if won.Epoch != m.view.epoch {
		m.held.keep(from.name, won)
		if won.Round < d.open {
			return ReasonOtherEpoch
		}
		d.open = won.Round + 1
		m.flood(won, from.name)
		return ""
	}
	if !d.note(m, won) {
		return ReasonKnown
	}
	m.flood(won, from.name)
	return ""
}

// note takes an established edge into the state and tells whether it was news.
func (d *dybw) note(m *Machine, won Established) bool {
	u, known := m.view.vertex[won.U]
	v, alsoKnown := m.view.vertex[won.V]
	if !known || !alsoKnown {
		return false
	}
	news := won.Round >= d.open
	if news {
		d.open = won.Round + 1
	}
	if won.Cycle > d.cycle {
		d.turn(won.Cycle)
	}
	if won.Cycle == d.cycle && d.mark(edge{min(u, v), max(u, v)}) {
		news = true
	}
	d.notePartner(m, won)
	if d.complete() {
		d.turn(d.cycle + 1)
	}
	return news
}

func (d *dybw) turn(cycle uint64) {
	d.cycle, d.other = cycle, nil
	clear(d.used)
}

// mark counts an edge as used in this cycle and tells whether it was not before.
func (d *dybw) mark(e edge) bool {
	if i, ok := d.tree.find(e); ok {
		was := d.used[i]
		d.used[i] = true
		return !was
	}
	for _, o := range d.other {
		if o == e {
			return false
		}
	}
	if len(d.other) >= d.tree.limit {
		return false
	}
	d.other = append(d.other, e)
	return true
}

func (d *dybw) complete() bool {
	for _, used := range d.used {
		if !used {
			return false
		}
	}
	return len(d.used) > 0
}

func (d *dybw) usedEdges() []edge {
	used := slices.Clone(d.other)
	for i, e := range d.tree.edges {
		if i < len(d.used) && d.used[i] {
			used = append(used, e)
		}
	}
	return used
}

// notePartner remembers that this peer is an end of an edge that won the round it is in.
func (d *dybw) notePartner(m *Machine, won Established) {
	if won.Round != m.round || (won.U != m.config.Self && won.V != m.config.Self) {
		return
	}
	d.partner, d.partnerRound = won.U, won.Round+1
	if won.U == m.config.Self {
		d.partner = won.V
	}
}

// waitsForPartner tells whether the estimate of the other end of the winning edge, who has finished,
// is still on its way: mixing without it would lose the edge that this round was closed for.
func (d *dybw) waitsForPartner(m *Machine) bool {
	if d.partnerRound != m.round+1 {
		return false
	}
	n := m.view.find(d.partner)
	if n == nil || !n.live || n.inbox.finished(m.round+1) { // a later one is here: this one was lost
		return false
	}
	l := n.inbox.at(m.round)
	return l == nil || (l.estimate == nil && l.intent != no)
}

// standing also counts what neighbours tell: who publishes for a round has closed the ones before, and
// who answers for one has closed it. A connected peer is never more than one cycle behind, because the
// edges to it have to be used.
func (d *dybw) standing(m *Machine) standing {
	for _, n := range m.view.neighbours {
		if n.live {
			d.open = max(d.open, n.inbox.current())
		}
	}
	return standing{
		round: d.open, late: m.round < d.open, far: d.open > m.round+uint64(len(d.tree.edges)),
	}
}

// greet gives the neighbour the edges of this cycle: floods that passed while the link was down do not
// come again.
func (d *dybw) greet(m *Machine, n *neighbour) {
	d.sync(m)
	if d.open == 0 {
		return
	}
	for _, e := range d.usedEdges() {
		u, v := m.view.members[e.u], m.view.members[e.v]
		m.emit(Send{To: n.name, Message: Established{
			Epoch: m.view.epoch, Cycle: d.cycle, Round: d.open - 1, U: min(u, v), V: max(u, v),
		}})
	}
}

// force closes the round for everybody, over the first edge of this peer.
func (d *dybw) force(m *Machine) {
	if m.round < d.open {
		return
	}
	for _, n := range m.view.neighbours {
		if n.live {
			other := m.view.vertex[n.name]
			d.announce(m, edge{min(d.tree.me, other), max(d.tree.me, other)})
			d.partnerRound = 0
			return
		}
	}
}

func buildDYBW(m *Machine) {
	a := &agreement{closer: &dybw{}, late: m.options.Late}
	m.rule, m.wait, m.mix = a, a, a
}
