package consensus

import "slices"

// restart is an agreement on the rounds in which all peers forget what their corrections have learned. A
// correction (d2, gt) is right as long as the corrections of all peers add up to nothing, which a peer that
// comes, leaves or is left out of a round breaks for good. Whoever notices names a round, estimates carry it on
// (in Base), and everybody knows it before it comes: it is more rounds away than the graph is wide. Rounds are
// named in steps of that width, so that those who notice the same name the same.
type restart struct {
	at   uint64 // the round at whose end corrections are forgotten; not above done: none is named
	next uint64 // the one after that
	done uint64 // the latest such round that is over
	live []Peer // the neighbours of the last round
}

// width is the distance between rounds that can be named: twice what news take to everybody.
func (r *restart) width(m *Machine) uint64 { return 2 * uint64(len(m.view.members)) }

// ask names a round.
func (r *restart) ask(m *Machine) {
	width := r.width(m)
	r.name((m.round/width + 2) * width)
}

// name enters a round. An earlier one that is named already stays, because others may know only that.
func (r *restart) name(at uint64) {
	switch {
	case at <= r.done || at == r.at:
	case r.at <= r.done:
		r.at = at
	default:
		r.at, r.next = min(r.at, at), max(r.at, r.next, at)
	}
}

// hear takes the round that a neighbour names. One that is too far ahead is no honest peer's.
func (r *restart) hear(m *Machine, at uint64) {
	if at <= m.round+uint64(m.config.maxAhead())+3*r.width(m) {
		r.name(at)
	}
}

// due tells, at the end of a round, whether corrections are forgotten now.
func (r *restart) due(m *Machine) bool {
	if r.at <= r.done || m.round < r.at {
		return false
	}
	r.done = r.at
	r.at, r.next = max(r.at, r.next), 0
	return true
}

// notice asks for a restart when the neighbours of a round are not those of the last one, or one of them was
// not there to be mixed.
func (r *restart) notice(m *Machine) {
	var live []Peer
	for _, n := range m.view.neighbours {
		if n.live {
			live = append(live, n.name)
		}
	}
	if len(m.mixed.missing) > 0 || (r.live != nil && !slices.Equal(live, r.live)) {
		r.ask(m)
	}
	r.live = live
}

func (r *restart) save(s *State) { s.Restart, s.Next, s.Restarted = r.at, r.next, r.done }
func (r *restart) load(s State)  { r.at, r.next, r.done = s.Restart, s.Next, s.Restarted }

// learn returns a correction with scale times sum_j w_ij (theirs[j] - mine) added to it. What one end of an edge adds
// the other takes away to the bit, so corrections keep adding up to nothing.
func (m *mixture) learn(correction []float32, scale float32, mine []float32, theirs [][]float32) []float32 {
	learned := make([]float32, len(mine))
	copy(learned, correction)
	for j, their := range theirs {
		weight := scale * m.weights[j]
		for i := range learned {
			learned[i] += float32(weight * (their[i] - mine[i]))
		}
	}
	return learned
}
