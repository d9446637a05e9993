package consensus

// quorumWait waits until enough neighbours have an estimate that is newer than at the last mix, and
// then a little longer for others.
type quorumWait struct {
	need    func(m *Machine) int                // out of the live neighbours
	limit   func(m *Machine) Duration           // longest wait; 0: none
	expects func(m *Machine, n *neighbour) bool // whether this neighbour is waited for too; nil: nobody is
	reached Time                                // when the quorum was there; Never: not yet
}

func (q *quorumWait) begin(*Machine) { q.reached = Never }

func (q *quorumWait) open(m *Machine) bool {
	fresh, live, expected := 0, m.view.live(), false
	for _, n := range m.view.neighbours {
		switch {
		case !n.live:
		case n.fresh():
			fresh++
		case q.expects != nil && q.expects(m, n):
			expected = true
		}
	}
	if fresh == live {
		return true
	}
	if !expected && fresh >= min(max(q.need(m), m.options.least()), live) {
		q.reached = min(q.reached, m.now)
	}
	return m.now >= q.wake(m)
}

func (q *quorumWait) wake(m *Machine) Time {
	at := Never
	if q.reached != Never {
		at = q.reached + Time(m.grace())
	}
	if limit := q.limit(m); limit > 0 {
		at = min(at, m.waited+Time(limit))
	}
	return at
}

// half returns the default quorum: half of the live neighbours, rounded up.
func half(m *Machine) int {
	if m.options.Quorum > 0 {
		return m.options.Quorum
	}
	return (m.view.live() + 1) / 2
}

// grace returns how long a peer waits on after its quorum.
func (m *Machine) grace() Duration {
	return m.options.Grace + Duration(m.options.GraceFraction*float64(m.medianBlock()))
}

func buildQuorum(m *Machine) {
	m.replace = true
	m.rule = &plain{}
	m.wait = &quorumWait{need: half, limit: (*Machine).waitLimit}
	m.mix = &latest{onlyFresh: m.options.Mix == Fresh, damped: m.options.Weights == InverseAge}
}
