package consensus

import (
	"strconv"

	"github.com/starling-ml/starling/internal/seed"
)

// adpsgdRecipe is AD-PSGD (Lian et al. 2018, 1710.06952): at the end of a block a peer and one random
// neighbour take the average of their two estimates, and nobody else takes part.
//
// The paper makes the average atomic, for which a peer must hold still while it is averaged with; a ring
// of peers that wait for each other then stands still for ever unless the graph is bipartite. Here the
// average is a difference: the initiator tells s, its estimate; the partner, busy or not, moves by
// (s-r)/2 and answers r, its estimate from before; the initiator moves by (r-s)/2 when the answer comes.
// The two moves cancel whatever either has learned meanwhile, so the mean is kept and nobody waits.
//
// With a constant step the peers that update often decide where the optimum is. The step is therefore in
// proportion to 1/rate, against the neighbourhood, up to rate_cap.
var adpsgdRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "adpsgd", Title: "averages in pairs",
		Wait:     "never; one exchange at a time is under way",
		Mix:      "one random live neighbour a block: both take half of the difference",
		Equation: "x += c D, c = clip(s_i/m_i, 1/rate_cap, rate_cap); x_i += (r-s)/2, x_j += (s-r)/2",
		Source:   "AD-PSGD, 1710.06952; the step in proportion to 1/rate is ours",
		When:     "data are alike everywhere and links are slow: one message each way a block",
		WhenNot:  "a slow peer alone has data: it is heard rarely, and its larger steps are less stable",
		Options:  []Option{optSteps, optRateCap, optTimeout, optExchangeTimeout},
	},
	build: buildADPSGD, defaults: defaultADPSGD, pieces: piecesADPSGD,
}

var optExchangeTimeout = Option{
	"timeout_factor", "20", "blocks after which an exchange without an answer is given up; the shorter one holds",
	func(o Options) bool { return o.TimeoutFactor != 0 },
}

// adpsgd is the rule, the link and the mix set of a peer that averages in pairs.
type adpsgd struct {
	plain
	part float64   // of the difference that each of the two moves by
	open *exchange // under way; nil: none

	to    *neighbour // partner of the publish being made; nil: this is a greeting
	with  *neighbour // of the mix being made; nil: the round closes, with nobody
	heard *Estimate  // what it said
	base  []float32  // what it is compared with; nil: the estimate
}

// exchange is an average that this peer has asked for and not been answered.
type exchange struct {
	to    Peer
	seq   uint64
	began Time
	said  []float32 // the estimate that was told
}

// halfway is the part that makes an average, and tells an estimate that asks for one from a greeting.
const halfway = 0.5

// apply adds the block's update in proportion to how rarely this peer updates.
func (a *adpsgd) apply(m *Machine, done Trained) {
	m.advance(done, float32(m.slowness(m.options.RateCap)))
}

// speak begins the exchange of this block, unless the last one is still under way.
func (a *adpsgd) speak(m *Machine, steps int) {
	if limit := m.waitLimit(); a.open != nil && limit > 0 && m.now >= a.open.began+Time(limit) {
		a.open = nil
	}
	if a.open != nil {
		m.emit(Published{Round: m.round, Seq: m.seq, Steps: steps, Loss: m.loss, Skipped: true})
		return
	}
	a.to = m.draw("adpsgd", m.seq+1)
	if a.to == nil {
		a.to = &neighbour{} // nobody
	}
	m.publish(steps, false)
	a.to = nil
}

// draw returns a random live neighbour, or nil: the same one whenever it is asked about the same count.
func (m *Machine) draw(what string, count uint64) *neighbour {
	live := m.view.live()
	if live == 0 {
		return nil
	}
	at := seed.Derive(m.config.Seed, what, string(m.config.Self), strconv.FormatUint(count, 10)) % uint64(live)
	for _, n := range m.view.neighbours {
		if !n.live {
			continue
		}
		if at == 0 {
			return n
		}
		at--
	}
	return nil
}

// frame tells the partner to average, and a neighbour that is new what was told last.
func (a *adpsgd) frame(m *Machine, n *neighbour) (Estimate, bool) {
	told := m.last
	if a.to == nil {
		return told, true
	}
	if n != a.to {
		return Estimate{}, false
	}
	a.open = &exchange{to: n.name, seq: told.Seq, began: m.now, said: told.Params}
	told.Weight = halfway
	return told, true
}

func (a *adpsgd) read(_ *Machine, _ *neighbour, e Estimate) (Estimate, string) { return e, "" }

// resolved gives the exchange up when what was told will not arrive.
func (a *adpsgd) resolved(_ *Machine, n *neighbour, seq uint64, arrived bool) {
	if !arrived && a.open != nil && a.open.to == n.name && a.open.seq == seq {
		a.open = nil
	}
}

// lost gives the exchange with a neighbour up whose link is down.
func (a *adpsgd) lost(_ *Machine, n *neighbour) {
	if a.open != nil && a.open.to == n.name {
		a.open = nil
	}
}

// hear takes an answer, or answers. An estimate that does neither is a greeting.
func (a *adpsgd) hear(m *Machine, from *neighbour, message Message) string {
	e, ok := message.(Estimate)
	switch {
	case !ok:
		return ReasonNotSpoken
	case e.Answer != 0:
		return a.answered(m, from, e)
	case e.Seq <= from.used:
		return ReasonOldEstimate
	case e.Weight > 0:
		a.answer(m, from, e)
	}
	return ""
}

// answer averages with a neighbour that asks for it. A newcomer has nothing to give yet: it answers what
// it heard, and neither of the two moves.
func (a *adpsgd) answer(m *Machine, from *neighbour, e Estimate) {
	mine := m.x
	if m.join {
		mine = e.Params
	}
	m.seq++
	m.sendEstimate(from, Estimate{
		Epoch: m.view.epoch, Round: m.round, Seq: m.seq, Steps: m.steps, StepTime: m.pace.step,
		Degree: m.view.live(), Loss: m.loss, Params: mine, Answer: e.Seq,
	})
	from.used = max(from.used, e.Seq)
	if !m.join {
		a.average(m, from, &e, nil)
	}
}

// answered ends the exchange that this peer has asked for.
func (a *adpsgd) answered(m *Machine, from *neighbour, e Estimate) string {
	if a.open == nil || a.open.to != from.name || a.open.seq != e.Answer {
		return ReasonNoExchange
	}
	said := a.open.said
	a.open = nil
	a.average(m, from, &e, said)
	return ""
}

// average moves by its part of the difference between what the neighbour said and base, or the estimate.
func (a *adpsgd) average(m *Machine, from *neighbour, e *Estimate, base []float32) {
	a.with, a.heard, a.base = from, e, base
	m.mixNow(true)
	a.with, a.heard, a.base = nil, nil, nil
}

func (a *adpsgd) gather(m *Machine) {
	if a.with != nil {
		m.mixed.base = a.base
		m.take(a.with, a.heard, m.now, a.part)
	}
}

func (a *adpsgd) save(s *State) {
	if a.open == nil {
		return
	}
	s.Exchange = &ExchangeState{To: a.open.to, Seq: a.open.seq, Began: a.open.began}
	s.Vectors["exchange"] = a.open.said
}

func (a *adpsgd) load(_ *Machine, s State) {
	said := s.Vectors["exchange"]
	if s.Exchange != nil && said != nil {
		a.open = &exchange{s.Exchange.To, s.Exchange.Seq, s.Exchange.Began, said}
	}
}

func (a *adpsgd) shift(by Time) {
	if a.open != nil {
		a.open.began += by
	}
}

func buildADPSGD(m *Machine) {
	a := &adpsgd{part: halfway}
	m.skipBusy = true // what is lost is not sent again: the next block asks somebody else
	m.rule, m.mix, m.link, m.wait = a, a, a, never{}
}

func defaultADPSGD(o *Options) {
	setDefault(&o.RateCap, 4)
	setDefault(&o.TimeoutFactor, 20)
}

func piecesADPSGD(o Options) []socketPiece {
	pairing := socketPiece{
		name: "averages in pairs", gives: pairs | freeRunning, clashes: lossyFrames,
		why:     "the two moves of a pair cancel only when each knows exactly what the other was told",
		instead: "use recipe quorum or choco, or codec dense",
	}
	if o.RateCap > 1 {
		pairing.gives |= rateScaled
	}
	return append(extras(o), pairing)
}
