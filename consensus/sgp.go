package consensus

// sgpRecipe is stochastic gradient push (Assran et al. 2019, 1811.10792). A peer has a mass: a sum of
// parameters, and a weight that the sum is to be divided by. It gives every neighbour a part of its mass
// and keeps the rest; nobody has to agree to anything. The estimate is the sum over the weight.
//
// In the paper a message that does not arrive takes its mass with it and the weights go to zero. Here ledgers
// carry what was given since the last estimate that the receiver is known to have, so nothing is lost while
// links live. A link that fails, or a peer, takes parameters and weight with it in proportion, which
// moves nobody's estimate.
//
// A peer that is slow gives rarely, so mass gathers there, in proportion to 1/rate when parts are Metropolis
// weights. The paper adds an update to the sum, which with peers of different speed moves the optimum to the
// fast ones. Here it is added to the estimate: it then counts by the weight, and rate times weight is the same
// everywhere.
var sgpRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "sgp", Title: "push-sum",
		Wait:     "never; with overlap, for neighbours that were silent for so many blocks",
		Mix:      "the mass that neighbours gave, in proportion to its weight",
		Equation: "x += D; give w_ij (w x, w) to every neighbour, keep the rest; (w x, w) += what came",
		Source: "SGP, 1811.10792; ledgers after Hendrickx and Tsitsiklis 2018; " +
			"the step and the parts are ours",
		When:    "links are one-way or uneven: no weight has to be agreed on",
		WhenNot: "bytes matter: an estimate takes twice as many, because sums travel beside it",
		Options: []Option{optSteps, optOverlap, optTimeout, optTimeoutFactor},
	},
	build: buildSGP, defaults: func(*Options) {}, pieces: piecesSGP,
}

// sgp is the rule, the link and the mix set of a peer of push-sum.
type sgp struct {
	plain
	weight float64
}

func (*sgp) steps(m *Machine) int { return m.pace.steps }

// leastMass is a weight that parameters can be divided by. Less is a peer that has given and given and heard
// nothing for a hundred blocks.
const leastMass = 1e-12

// speak gives every live neighbour its part, and publishes.
func (p *sgp) speak(m *Machine, steps int) {
	degree, whole := m.view.live(), p.weight
	for _, n := range m.view.neighbours {
		if n.live {
			part := whole * metropolis(degree, n.degree)
			n.ledger.give(m.seq+1, scaled(float32(part), m.x), part)
			p.weight -= part
		}
	}
	m.publish(steps, false)
}

func (p *sgp) frame(m *Machine, n *neighbour) (Estimate, bool) { return n.ledger.write(m.last), true }

// read counts what a neighbour gives; it is mixed at the end of the block. Parameters without
// a weight are no honest peer's.
func (p *sgp) read(m *Machine, n *neighbour, e Estimate) (Estimate, string) {
	if e.Extra != nil && len(e.Extra) != len(m.x) {
		return e, ReasonWrongLength
	}
	more, reason := n.ledger.take(e)
	n.ledger.heard = m.round
	if reason == "" && more.weight >= leastMass && more.amount != nil {
		n.ledger.due.weight += more.weight
		n.ledger.due.amount = plus(n.ledger.due.amount, more.amount)
	}
	e.Extra, e.Weight, e.Base, e.Answer = nil, 0, 0, 0
	return e, ""
}

func (*sgp) resolved(*Machine, *neighbour, uint64, bool) {}

// lost takes back what a neighbour is not known to have when its link fails. If it has it, that mass is
// there twice, parameters and weight alike.
func (p *sgp) lost(m *Machine, n *neighbour) {
	back := n.ledger.sum()
	n.ledger = ledger{due: n.ledger.due}
	if back.weight >= leastMass {
		share := float32(back.weight / (p.weight + back.weight))
		m.x = m.blend(m.x, []float32{share}, [][]float32{scaled(float32(1/back.weight), back.amount)})
		m.block.moved = true
		p.weight += back.weight
	}
}

func (p *sgp) gather(m *Machine) {
	total := p.weight
	for _, n := range m.view.neighbours {
		total += n.ledger.due.weight
	}
	for _, n := range m.view.neighbours {
		due := n.ledger.due
		if due.weight == 0 {
			if n.live {
				m.miss(n)
			}
			continue
		}
		gave := n.replica.Estimate
		gave.Params = scaled(float32(1/due.weight), due.amount)
		m.take(n, &gave, n.replica.arrived, due.weight/total)
		n.ledger.due = gift{}
	}
	p.weight = total
}

// lagWait waits for neighbours that were not heard for a number of this peer's blocks.
type lagWait struct{ most int }

func (lagWait) begin(*Machine) {}

func (l lagWait) open(m *Machine) bool {
	for _, n := range m.view.neighbours {
		if n.live && n.replica.Seq > 0 && n.ledger.heard+uint64(l.most) <= m.round {
			return m.overdue()
		}
	}
	return true
}

func (lagWait) wake(m *Machine) Time { return m.overdueAt() }

func (p *sgp) save(s *State) { s.Mass = p.weight }

func (p *sgp) load(_ *Machine, s State) {
	if s.Mass > 0 {
		p.weight = s.Mass
	}
}

func buildSGP(m *Machine) {
	p := &sgp{weight: 1}
	m.replace = true
	m.rule, m.link, m.mix, m.wait = p, p, p, never{}
	if m.options.Overlap > 0 {
		m.wait = lagWait{m.options.Overlap}
	}
}

func piecesSGP(o Options) []socketPiece {
	return append(extras(o), socketPiece{name: "push-sum", gives: covered | conserved | freeRunning})
}
