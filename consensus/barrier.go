package consensus

// barrier is the rule and the wait of a global barrier: a round closes when every member that can be
// reached has finished it. It is the baseline that local barriers are compared with.
type barrier struct {
	inStep
	reach reach
}

func (b *barrier) begin(m *Machine) { b.reach.announceDone(m) }

func (b *barrier) open(m *Machine) bool {
	b.reach.announceGone(m)
	if m.overdue() {
		return true
	}
	return b.allDone(m) && roundWait{}.open(m)
}

// allDone tells whether every reachable member has finished the round.
func (b *barrier) allDone(m *Machine) bool {
	done := b.reach.done.after
	for vertex, reached := range b.reach.reached(m) {
		if reached && done[vertex] <= m.round && m.view.members[vertex] != m.config.Self {
			return false
		}
	}
	return true
}

func (b *barrier) wake(m *Machine) Time { return m.overdueAt() }

func (b *barrier) hear(m *Machine, from *neighbour, message Message) string {
	if done, ok := message.(Done); ok {
		return b.reach.hear(m, from, done)
	}
	return b.inStep.hear(m, from, message)
}

// greet gives the neighbour all that is known: floods that passed while the link was down do not come
// again.
func (b *barrier) greet(m *Machine, n *neighbour) {
	b.reach.sync(m)
	for vertex, after := range b.reach.done.after {
		if after > 0 {
			m.emit(Send{To: n.name, Message: Done{
				Epoch: m.view.epoch, Round: after - 1, Peer: m.view.members[vertex],
			}})
		}
	}
}

func buildBarrier(m *Machine) {
	b := &barrier{}
	m.rule, m.wait, m.mix = b, b, ofRound{}
}
