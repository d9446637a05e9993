package consensus

// nolocoRecipe is NoLoCo (Kolehmainen et al. 2025, 2506.10911): DiLoCo without an average over everybody. A block
// of many local steps is one gradient of an outer optimizer with momentum, and slow weights are pulled together
// in pairs of peers, partners drawn uniformly.
//
// The paper's pair waits for each other and averages its updates too. Here the exchange is that of adpsgd: each of
// the two moves by a part of the difference of the slow weights when it hears of it, their velocities with them, so
// the mean of either is kept and nobody waits. Whoever is drawn takes part, ready or not: pairs of those that are
// ready make classes of equal speed that never mix.
//
// Between blocks the estimate is the slow weights. As in adpsgd, updates are in proportion to 1/rate.
var nolocoRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "noloco", Title: "many local steps, outer momentum, averages in pairs",
		Wait: "never; one exchange at a time is under way",
		Mix:  "one random live neighbour a block: both move by half the outer rate of the difference of slow weights",
		Equation: "v = a v + b c D; x += v; then d = b (r-s)/2; x_i += d, v_i += d, x_j -= d, v_j -= d; " +
			"a = outer_momentum, b = outer_rate, c = clip(s_i/m_i, 1/rate_cap, rate_cap)",
		Source:  "NoLoCo, 2506.10911; the exchange without waiting, and c, are ours",
		When:    "links are very slow: one message each way in many local steps",
		WhenNot: "blocks of a few steps do: adpsgd agrees better; a peer slower than rate_cap alone has data",
		Options: []Option{
			optBlockSteps, optOuterRate, optOuterMomentum, optBlockCap, optTimeout, optExchangeTimeout,
		},
	},
	build: buildNoloco, defaults: defaultNoloco, pieces: piecesADPSGD,
}

var (
	optBlockSteps = Option{"local_steps", "8", optSteps.Meaning, optSteps.set}
	optBlockCap   = Option{
		"rate_cap", "2", "largest factor on the update of a peer that updates rarely, which is one jump of a whole " +
			"block here; 1: none", optRateCap.set,
	}
)

// noloco is the rule, the link and the mix set of a peer with slow weights.
type noloco struct {
	adpsgd
	velocity []float32 // of the slow weights; nil: none yet
}

// apply takes a block's update as the gradient of a step of the slow weights.
func (l *noloco) apply(m *Machine, done Trained) {
	slow := m.x
	l.adpsgd.apply(m, done)
	momentum, rate := float32(m.options.OuterMoment), float32(m.options.OuterRate)
	velocity := make([]float32, len(slow))
	for i := range velocity {
		velocity[i] = float32(rate * (m.x[i] - slow[i]))
		if l.velocity != nil {
			velocity[i] += float32(momentum * l.velocity[i])
		}
	}
	l.velocity, m.x = velocity, add(slow, 1, velocity)
}

// hear moves the velocity as an exchange has moved the slow weights.
func (l *noloco) hear(m *Machine, from *neighbour, message Message) string {
	before := m.x
	reason := l.adpsgd.hear(m, from, message)
	if &before[0] == &m.x[0] {
		return reason
	}
	if l.velocity == nil {
		l.velocity = make([]float32, len(before))
	}
	l.velocity = moveBy(l.velocity, 1, before, m.x)
	return reason
}

func (l *noloco) save(s *State) {
	l.adpsgd.save(s)
	if l.velocity != nil {
		s.Vectors["velocity"] = l.velocity
	}
}

func (l *noloco) load(m *Machine, s State) {
	l.adpsgd.load(m, s)
	l.velocity = s.Vectors["velocity"]
}

func buildNoloco(m *Machine) {
	l := &noloco{adpsgd: adpsgd{part: m.options.OuterRate * halfway}}
	m.skipBusy = true
	m.rule, m.mix, m.link, m.wait = l, l, l, never{}
}

func defaultNoloco(o *Options) {
	setDefault(&o.RateCap, 2)
	defaultADPSGD(o)
	setDefault(&o.LocalSteps, usualBlock)
	setDefault(&o.OuterRate, 0.7)
	setDefault(&o.OuterMoment, 0.5)
}
