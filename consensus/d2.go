package consensus

import (
	"errors"
	"fmt"

	"github.com/starling-ml/starling/topology"
)

// d2Recipe is D2 (Tang et al. 2018, 1803.07068). The paper's x(t+1) = W (2x(t) - x(t-1) - eta g(t) + eta
// g(t-1)) is, with D for what a block adds and c for what all mixes so far have added,
//
//	h = x + D + c;  x = W h;  c += W h - h
//
// so a peer needs to remember one vector. Where estimates agree, c is what takes a peer's own pull away
// and puts the mean one in its place. The c of all peers add up to nothing. In the paper's own form it is a difference
// of estimates, and their rounding, small as it is, adds up in the mean of all for as long as the run lasts;
// kept as a sum of differences it is rounded far less.
//
// The paper needs eigenvalues of W above -1/3. (I+W)/2 always has them; full_w mixes with W itself.
var d2Recipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "d2", Title: "dpsgd without the bias of different data",
		Wait:     "every live neighbour has published for the round",
		Mix:      "the neighbours' estimates of the round, by (I+W)/2",
		Equation: "h = x + D + c; x = (I+W)/2 h; c += (I+W)/2 h - h",
		Source:   "D2, Tang et al. 2018, 1803.07068; the restart when members change is ours",
		When:     "data differ a lot, peers are equally fast, members stay: it reaches the optimum exactly",
		WhenNot:  "one peer is slow (everybody runs at its speed), or members come and go (it starts again)",
		Options:  []Option{optSteps, optFullW, optTimeout, optTimeoutFactor},
	},
	build: buildD2, defaults: func(*Options) {}, pieces: piecesD2,
}

// d2 is the rule, the link and the mix set of a peer of D2.
type d2 struct {
	inStep
	again restart
	c     []float32 // what mixes have added; nil: nothing
	h     []float32 // the estimate that is mixed
}

func (*d2) steps(m *Machine) int { return m.pace.steps }

func (d *d2) apply(m *Machine, done Trained) {
	before := m.round
	d.inStep.apply(m, done)
	if m.round != before { // a round was left out
		d.again.ask(m)
		d.c = nil
	}
	m.x = plus(m.x, d.c)
	d.h = m.x
}

func (d *d2) gather(m *Machine) {
	ofRound{}.gather(m)
	d.again.notice(m)
	if m.options.FullW {
		return
	}
	for i := range m.mixed.weights {
		m.mixed.weights[i] /= 2
		m.mixed.used[i].Weight = m.mixed.weights[i]
	}
}

func (d *d2) mixed(m *Machine) {
	if d.again.due(m) {
		d.c = nil
		return
	}
	d.c = m.mixed.learn(d.c, 1, d.h, m.mixed.inputs)
}

func (d *d2) rewired(m *Machine) { d.again.ask(m) }

func (d *d2) frame(m *Machine, _ *neighbour) (Estimate, bool) {
	e := m.last
	e.Base = d.again.at
	return e, true
}

func (d *d2) read(m *Machine, _ *neighbour, e Estimate) (Estimate, string) {
	d.again.hear(m, e.Base)
	return e, ""
}

func (*d2) resolved(*Machine, *neighbour, uint64, bool) {}
func (*d2) lost(*Machine, *neighbour)                   {}

func (d *d2) save(s *State) {
	d.again.save(s)
	s.vector("correction", d.c)
}

func (d *d2) load(_ *Machine, s State) {
	d.again.load(s)
	d.c = s.Vectors["correction"]
}

func buildD2(m *Machine) {
	d := &d2{}
	m.rule, m.link, m.mix, m.wait = d, d, d, roundWait{}
}

func piecesD2(o Options) []socketPiece {
	correction := socketPiece{
		name: "d2", gives: covered | lockStep | conserved, needs: fixedWeights,
		why:     "its correction is for one matrix, with others it diverges",
		instead: "use recipe gt, or no schedule",
	}
	if o.Schedule.Kind == "" {
		correction.gives |= fixedWeights
	}
	return append(extras(o), correction)
}

// leastEigenvalue is the bound of the paper's assumption 1.
const leastEigenvalue = -1.0 / 3

// unstable returns why full weights do not suit the graph, if that is known.
func (o Options) unstable(g *topology.Graph) error {
	if o.Recipe != "d2" || !o.FullW || g == nil {
		return nil
	}
	least, known := topology.SmallestEigenvalue(g)
	if known && least > leastEigenvalue {
		return nil
	}
	if !known {
		return errors.New("full_w on a graph whose smallest eigenvalue could not be found: " +
			"d2 diverges at -1/3 and below; leave full_w out, d2 then mixes with (I+W)/2")
	}
	return fmt.Errorf("full_w on a graph whose weights have the eigenvalue %.3f: d2 diverges at -1/3 and below; "+
		"leave full_w out, d2 then mixes with (I+W)/2", least)
}
