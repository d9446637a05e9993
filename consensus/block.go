package consensus

import "fmt"

// block is the local training in flight.
type block struct {
	number   uint64
	began    Time
	asked    int
	done     int       // local steps done
	snapshot []float32 // the estimate at its start
	moved    bool      // the estimate moved since: pieces were added, or a mix was made
	cut      bool      // asked to end early
	share    Share     // of the pooled work; zero: none is pooled
}

// begin starts the next block from the current estimate. A due checkpoint comes first: State then
// describes a peer that is about to start this block.
func (m *Machine) begin() {
	m.phase = training
	if every := m.config.SaveEvery; every > 0 && m.now >= m.saved+Time(every) {
		m.saved = m.now
		m.emit(Save{Round: m.round})
	}
	m.block = block{number: m.block.number + 1, began: m.now, snapshot: m.x}
	m.block.asked = m.rule.steps(m)
	train := Train{Block: m.block.number, Params: m.x, Steps: m.block.asked}
	if d, ok := m.rule.(drifter); ok {
		train.Drift = d.drift(m)
	}
	if m.division != nil {
		m.block.share = m.division.next(m)
		train.Share = m.block.share
	}
	m.emit(train)
}

// trained takes the result of the block in flight, publishes and starts to wait.
func (m *Machine) trained(done Trained) {
	if m.phase != training || done.Block != m.block.number {
		m.ignore("", ReasonOldBlock)
		return
	}
	if len(done.Params) != len(m.x) {
		panic(fmt.Sprintf("consensus: trainer returned %d parameters for %d", len(done.Params), len(m.x)))
	}
	m.pace.trained(Duration(m.now-m.block.began), done.Steps)
	m.loss = done.Loss
	m.steps += uint64(done.Steps)
	if m.join && m.adopt(done.Steps) {
		return
	}
	m.join = false
	m.rule.apply(m, done)
	m.watchPaces()
	m.block.done = done.Steps
	if s, ok := m.rule.(speaker); ok {
		s.speak(m, done.Steps)
	} else {
		m.tryPublish(done.Steps, false)
	}
	if m.division != nil {
		m.division.trained(m, Duration(m.now-m.block.began), done.Steps)
	}
	m.phase, m.waited = waiting, m.now
	m.wait.begin(m)
}

// advance moves the estimate by scale times what the block learned, times what the switches say. When
// the estimate did not move meanwhile and nothing is scaled, the trainer's vector is the new estimate.
func (m *Machine) advance(done Trained, scale float32) {
	scale *= m.stretch(done.Steps)
	if !m.block.moved && scale == 1 {
		m.x = done.Params
		return
	}
	m.x = moveBy(m.x, scale, m.block.snapshot, done.Params)
}

// cancel throws the block in flight away.
func (m *Machine) cancel(reason string) {
	m.emit(CancelTrain{Block: m.block.number})
	m.emit(Lost{Round: m.round, Steps: m.block.asked, Reason: reason})
}

// cut ends the block in flight after the local step that is running; what was done comes as Trained.
func (m *Machine) cut() {
	if !m.block.cut {
		m.block.cut = true
		m.emit(CutTrain{Block: m.block.number})
	}
}

// closeRound mixes and starts the next block.
func (m *Machine) closeRound() {
	m.mixNow(false)
	if f, ok := m.rule.(finisher); ok {
		f.mixed(m)
	}
	if m.momentum != nil {
		m.momentum.learn(m)
	}
	m.round++
	for _, n := range m.view.neighbours {
		n.inbox.before(m.round)
	}
	m.begin()
}
