package consensus

import (
	"fmt"
	"slices"
)

// Restore makes a machine from a config and a saved state. It starts at the first Wake, with the block
// that was in flight. The config may have other members and options than the one that was saved.
func Restore(c Config, s State) (*Machine, error) {
	x := s.Vectors["estimate"]
	if len(x) != len(c.Params) {
		return nil, fmt.Errorf("saved estimate has %d parameters, the model has %d: restore with the same model",
			len(x), len(c.Params))
	}
	m, err := build(c)
	if err != nil {
		return nil, err
	}
	m.x, m.round, m.seq, m.steps, m.loss = x, s.Round, s.Seq, s.Steps, s.Loss
	m.slow, m.saved, m.join = s.Slow, s.Saved, s.Join || c.Join
	m.block.number = max(s.Block, 1) - 1 // begin counts the same block again
	m.pace.step, m.pace.send, m.pace.mix, m.pace.whole = s.Step, s.Send, s.Mix, s.Whole
	m.shares.own, m.shares.some, m.shares.last = s.Influence, s.Influenced >= 0, s.Influenced
	m.shares.period = s.MixPeriod
	m.last = s.dress(s.Last, "last")
	if m.last.Params == nil {
		m.last = Estimate{}
	}
	for _, saved := range s.Neighbours {
		if n := m.view.find(saved.Name); n != nil {
			n.load(s, saved)
		}
	}
	if m.momentum != nil {
		m.momentum.v = s.Vectors["momentum"]
	}
	if m.division != nil {
		m.division.load(m, s.Division)
	}
	if k, ok := m.rule.(keeper); ok {
		k.load(m, s)
	}
	m.restored = &s.Now
	return m, nil
}

// dress gives an estimate its parameters back.
func (s *State) dress(e Estimate, name string) Estimate {
	e.Params = s.Vectors[name]
	return e
}

func (n *neighbour) load(s State, saved NeighbourState) {
	n.degree, n.stepTime, n.slow = saved.Degree, saved.StepTime, saved.Slow
	n.used, n.queued, n.resolved = saved.Used, saved.Queued, saved.Resolved
	n.retry, n.share = saved.Retry, saved.Share
	n.replica = replica{Estimate: s.dress(saved.Replica, "replica/"+string(n.name)), arrived: saved.Arrived}
	if n.replica.Params == nil {
		n.replica, n.used = replica{}, 0
	}
	if n.live { // a new link begins with whole estimates
		n.track.load(s, n.name, saved.Track)
	}
	n.ledger.load(s, n.name, saved.Ledger)
	if h := saved.Heard; h != nil {
		n.arrivals = arrivals{some: true, last: h.Last, times: h.Times}
	}
	for _, l := range saved.Letters {
		letter := letter{round: l.Round, arrived: l.Arrived, intent: answer(l.Intent), active: l.Active}
		if e := s.dress(l.Estimate, letterName(n.name, l.Round)); e.Params != nil {
			letter.estimate = &e
		}
		n.inbox = append(n.inbox, letter)
	}
}

// rebase moves all times of a restored machine to the driver's clock, at its first Step.
func (m *Machine) rebase() {
	shift := m.now - *m.restored
	m.restored = nil
	m.saved += shift
	m.shares.last += shift
	for _, n := range m.view.neighbours {
		n.replica.arrived += shift
		n.arrivals.last += shift
		if n.retry != Never {
			n.retry += shift
		}
		for i := range n.inbox {
			n.inbox[i].arrived += shift
		}
	}
	if s, ok := m.rule.(shifter); ok {
		s.shift(shift)
	}
}

// shifter is implemented by keepers that keep times.
type shifter interface {
	shift(by Time)
}

func (p *pulse) save(s *State) {
	s.Pieces = p.left
	if p.left > 0 {
		s.Vectors["piece"] = p.piece
	}
}

func (p *pulse) load(_ *Machine, s State) {
	if piece := s.Vectors["piece"]; piece != nil {
		p.piece, p.left = piece, s.Pieces
	}
}

func (a *agreement) save(s *State) {
	s.Stake = a.stake
	if k, ok := a.closer.(keeper); ok {
		k.save(s)
	}
}

func (a *agreement) load(m *Machine, s State) {
	a.stake = s.Stake
	if k, ok := a.closer.(keeper); ok {
		k.load(m, s)
	}
}

func (c *established) save(s *State) {
	c.reach.save(s)
	s.Tree = &TreeState{Cycle: c.cycle, Open: c.open}
	for _, e := range c.used {
		s.Tree.Used = append(s.Tree.Used, [2]int{e.u, e.v})
	}
}

func (c *established) load(m *Machine, s State) {
	c.reach.load(m, s)
	if s.Tree == nil {
		return
	}
	c.open = s.Tree.Open
	if s.Epoch != m.view.epoch {
		return
	}
	c.sync(m)
	c.cycle = s.Tree.Cycle
	for _, e := range s.Tree.Used {
		c.mark(edge{e[0], e[1]})
	}
}

func (b *barrier) save(s *State)            { b.reach.save(s) }
func (b *barrier) load(m *Machine, s State) { b.reach.load(m, s) }

func (r *reach) save(s *State) {
	s.Done, s.Gone = slices.Clone(r.done.after), slices.Clone(r.gone.after)
}

func (r *reach) load(m *Machine, s State) {
	r.sync(m)
	if s.Epoch != m.view.epoch || len(s.Done) != len(r.done.after) || len(s.Gone) != len(r.gone.after) {
		return
	}
	for vertex := range s.Done {
		r.done.put(vertex, s.Done[vertex])
		r.gone.put(vertex, s.Gone[vertex])
	}
}
