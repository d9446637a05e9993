package consensus

// inStep is the rule of recipes whose rounds are in step: estimates are kept by round.
type inStep struct{ plain }

// apply moves a peer that fell behind (it rejoined, or its neighbours gave up waiting for it) to the
// round its mates are in. Without faults no mate of a round is ahead of a peer that has not published.
func (inStep) apply(m *Machine, done Trained) {
	latest := m.round
	for i, n := range m.view.neighbours {
		if round, ok := n.inbox.newest(); ok && n.live && m.meets(i) {
			latest = max(latest, round)
		}
	}
	m.round = latest
	plain{}.apply(m, done)
}

func (inStep) hear(m *Machine, from *neighbour, message Message) string {
	estimate, ok := message.(Estimate)
	if !ok {
		return ReasonNotSpoken
	}
	return m.keep(from, estimate)
}

// keep puts an estimate in the inbox of its round.
func (m *Machine) keep(from *neighbour, e Estimate) string {
	if e.Round < m.round {
		return ReasonOldRound
	}
	l := from.inbox.open(e.Round, m.config.maxAhead())
	if l.estimate != nil && l.estimate.Seq >= e.Seq {
		return ReasonOldEstimate
	}
	l.estimate, l.arrived = &e, m.now
	return ""
}

// roundWait waits until every live mate of this round has published for it or a later one.
type roundWait struct{}

func (roundWait) begin(*Machine) {}

func (roundWait) open(m *Machine) bool {
	for i, n := range m.view.neighbours {
		if n.live && m.meets(i) && n.inbox.estimateFrom(m.round) == nil {
			return m.overdue()
		}
	}
	return true
}

func (roundWait) wake(m *Machine) Time { return m.overdueAt() }

// ofRound mixes the estimates of exactly this round; of a neighbour that is ahead because it rejoined
// or gave up waiting, the oldest later one. Both ends of an edge weigh it by the degrees that they
// published with the round, or as the schedule says, so the matrix is symmetric.
type ofRound struct{}

func (ofRound) gather(m *Machine) {
	degree := max(m.last.Degree, m.view.live())
	for i, n := range m.view.neighbours {
		if !n.live || !m.meets(i) {
			continue
		}
		l := n.inbox.estimateFrom(m.round)
		if l == nil {
			m.miss(n)
			continue
		}
		weight := metropolis(degree, l.estimate.Degree)
		if m.timetable != nil {
			weight = m.timetable.of(m)[i]
		}
		m.take(n, l.estimate, l.arrived, weight)
	}
}

func buildDPSGD(m *Machine) {
	m.rule = &inStep{}
	m.wait = roundWait{}
	m.mix = ofRound{}
}
