package consensus

import "github.com/starling-ml/starling/vec"

// autoRecipe is pulse with two decisions made by rule.
var autoRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "auto", Title: "pulse, and two choices made by measurement",
		Wait: "half of the neighbours, and every one that is no straggler, have something new, a quarter of a beat " +
			"at most; a peer slower than the beat publishes and mixes in the middle of its block",
		Mix:      "the newest estimate of every live neighbour, in int8 where sending takes more than a quarter of a block",
		Equation: "x += c D in round(c) pieces, one a beat, c = s_i/m_i; x += sum_j w_ij (rep_j - x)",
		Source:   "this project (docs/RECIPES-COMPARED.md)",
		When:     "the default: nothing was faster in our comparison without losing what slow peers know",
		WhenNot:  "mixing costs a slow peer half a beat or more; or you want pulse with settings of your own",
		Options:  []Option{optBeatSteps},
	},
	build: buildAuto, defaults: defaultAuto, pieces: piecesPulse,
}

func defaultAuto(o *Options) {
	defaultPulse(o)
	setDefault(&o.Codec.Kind, vec.Auto)
}

func buildAuto(m *Machine) {
	buildPulse(m)
	p := m.rule.(*pulse)
	m.wait = &quorumWait{need: half, limit: p.limit, expects: p.expects}
}

// ofLate is the number of beats after which a neighbour that was not heard is not waited for.
const ofLate = 2

// expects tells whether a neighbour will soon say something new: it is no straggler, and has been heard of
// late. A peer that died without a word is so waited for in two rounds at most.
func (p *pulse) expects(m *Machine, n *neighbour) bool {
	return !n.slow && n.replica.Seq > 0 && m.now < n.replica.arrived+Time(ofLate*float64(p.beat))
}

// beats tells whether blocks have as many local steps as fit a beat, unless the options say how many.
func (o Options) beats() bool { return o.Recipe == "pulse" || o.Recipe == "auto" }
