package consensus

import "math"

// backup closes a round when a fixed share of the live neighbours has finished it: the others were
// backup neighbours of this round. A finished peer also closes when a neighbour that has closed counts
// on it, so that nobody who has closed ever waits for an unfinished peer.
type backup struct{}

// enough returns the number of live neighbours to wait for.
func enough(m *Machine) int {
	return max(1, int(math.Ceil(m.options.Fraction*float64(m.view.live())-1e-9)))
}

func (backup) closes(m *Machine) bool {
	finished := 0
	for _, n := range m.view.neighbours {
		if !n.live {
			continue
		}
		if l := n.inbox.at(m.round); l != nil && l.intent == yes && l.estimate != nil {
			return true
		}
		if n.inbox.finished(m.round) {
			finished++
		}
	}
	return finished >= enough(m)
}

// standing is late when so many neighbours have closed the round without this peer that there are too
// few left for a round of its own.
func (backup) standing(m *Machine) standing {
	gone, round := 0, m.round
	for _, n := range m.view.neighbours {
		if !n.live {
			continue
		}
		current := n.inbox.current()
		if current > m.round {
			gone++
		}
		round = max(round, current)
	}
	return standing{
		round: round, late: gone > m.view.live()-enough(m), far: round > m.round+uint64(m.config.maxAhead()),
	}
}

func (backup) hear(*Machine, *neighbour, Message) string { return ReasonNotSpoken }

func (backup) greet(*Machine, *neighbour) {}
func (backup) force(*Machine)             {}

func buildBackup(m *Machine) {
	if m.options.Mix != Mutual {
		m.replace = true
		m.rule = &plain{}
		m.wait = &quorumWait{need: enough, limit: (*Machine).waitLimit}
		m.mix = &latest{onlyFresh: m.options.Mix == Fresh, damped: m.options.Weights == InverseAge}
		return
	}
	a := &agreement{closer: backup{}, late: m.options.Late}
	m.rule, m.wait, m.mix = a, a, a
}
