package consensus

import "math"

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
// everywhere. rate_cap bounds what one update counts; no update is ever enlarged.
var sgpRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "sgp", Title: "push-sum",
		Wait: "never; with overlap, for neighbours that were silent for so many blocks",
		Mix:  "the mass that neighbours gave, in proportion to its weight",
		Equation: "x += min(1, rate_cap/slowness) D; give w_ij (w x, w) to every neighbour, keep the rest; " +
			"(w x, w) += what came",
		Source: "SGP, 1811.10792; ledgers after Hendrickx and Tsitsiklis 2018; " +
			"the step and the parts are ours",
		When:    "links are one-way or uneven: no weight has to be agreed on",
		WhenNot: "bytes matter: an estimate takes twice as many, because sums travel beside it",
		Options: []Option{optSteps, optSlowCap, optOverlap, optTimeout, optSilenceTimeout},
	},
	build: buildSGP, defaults: defaultSGP, pieces: piecesSGP,
}

var optSlowCap = Option{
	"rate_cap", "100", "how often the update of a slow peer counts at most; 1: the paper's constant step",
	func(o Options) bool { return o.RateCap != 0 },
}

// Estimates that vanish are not sent again, and two peers that wait for each other's would wait for ever.
var optSilenceTimeout = Option{
	"timeout_factor", "20", "with overlap: blocks after which a silent neighbour is waited for no longer",
	func(o Options) bool { return o.TimeoutFactor != 0 },
}

// sgp is the rule, the link and the mix set of a peer of push-sum.
type sgp struct {
	plain
	weight float64
}

func (*sgp) steps(m *Machine) int { return m.pace.steps }

// apply adds the block's update to the estimate, where it counts by the weight: as many times as this peer is
// slower than others, up to rate_cap.
func (*sgp) apply(m *Machine, done Trained) {
	m.advance(done, float32(min(1, m.options.RateCap/m.slowness(math.MaxFloat64))))
}

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

func (*sgp) resolved(_ *Machine, n *neighbour, seq uint64, arrived bool) {
	if arrived {
		n.ledger.sent = max(n.ledger.sent, seq)
	}
}

// lost takes back what has not been sent when a link fails. If it did arrive, that mass is there
// twice, parameters and weight alike.
func (p *sgp) lost(m *Machine, n *neighbour) {
	back := n.ledger.unsent()
	n.ledger = ledger{base: m.seq, due: n.ledger.due, heard: m.round}
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

// load takes back what was given over links that are down: the other ends have forgotten their ledgers.
func (p *sgp) load(m *Machine, s State) {
	if s.Mass > 0 {
		p.weight = s.Mass
	}
	for _, n := range m.view.neighbours {
		if !n.live {
			p.lost(m, n)
		}
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

func defaultSGP(o *Options) {
	setDefault(&o.RateCap, 100)
	setDefault(&o.TimeoutFactor, 20)
}

func piecesSGP(o Options) []socketPiece {
	pushing := socketPiece{name: "push-sum", gives: covered | conserved | freeRunning}
	if o.RateCap > 1 {
		pushing.gives |= rateScaled
	}
	return append(extras(o), pushing)
}
