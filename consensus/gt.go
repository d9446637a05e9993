package consensus

// gtRecipe is gradient tracking in rounds: with one local step the scheme of VRL-SGD (Liang et al. 2019,
// 1912.12844) over neighbours, with several K-GT (Liu et al. 2023, 2301.01313). A peer adds to every local
// step what its neighbourhood's steps were more than its own:
//
//	D = K steps from x, each followed by x += s;  s += (sum_j w_ij D_j - D)/K;  x = sum_j w_ij (x_j + D_j)
//
// The s of all peers add up to nothing, so the mean moves by the mean of all steps, and where all estimates
// agree each peer takes the mean step: the optimum is exact however much data differ.
//
// With running_sums nobody waits: see tracker.
var gtRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "gt", Title: "gradient tracking",
		Wait: "every live neighbour has published for the round; with running_sums never",
		Mix:  "the neighbours' estimates of the round, and the steps behind them, Metropolis weights",
		Equation: "s += (sum_j w_ij D_j - D)/K, added to each of K local steps; x = sum_j w_ij (x_j + D_j); " +
			"with running_sums z = sum of what came + D - D of the last block, x += z",
		Source:  "VRL-SGD 1912.12844; K-GT 2301.01313; R-FAST 2307.11617; the restart when members change is ours",
		When:    "data differ a lot and blocks are long: no drift, at twice the bytes",
		WhenNot: "gradients are noisier than data are different: the tracker adds the noise of two blocks",
		Options: []Option{optSteps, optRunningSums, optTimeout, optTimeoutFactor},
	},
	build: buildGT, defaults: func(*Options) {}, pieces: piecesGT,
}

// gt is the rule, the link and the mix set of a peer that tracks in rounds.
type gt struct {
	inStep
	again  restart
	s      []float32   // added to every local step; nil: nothing
	moved  []float32   // what the last block did
	count  int         // its local steps
	theirs [][]float32 // what those of the mates did, by place in the mix
}

func (*gt) steps(m *Machine) int       { return m.pace.steps }
func (g *gt) drift(*Machine) []float32 { return g.s }

func (g *gt) apply(m *Machine, done Trained) {
	before := m.round
	g.inStep.apply(m, done)
	if m.round != before { // a round was left out
		g.again.ask(m)
	}
	g.moved, g.count = add(done.Params, -1, m.block.snapshot), done.Steps
}

// gather takes the estimates of the round, and with them what their blocks did. A mate that does not say
// is left out.
func (g *gt) gather(m *Machine) {
	ofRound{}.gather(m)
	g.again.notice(m)
	g.theirs = g.theirs[:0]
	for _, used := range m.mixed.used {
		theirs := m.view.find(used.Peer).inbox.estimateFrom(m.round).estimate.Extra
		if theirs == nil {
			g.again.ask(m)
			theirs = g.moved
		}
		g.theirs = append(g.theirs, theirs)
	}
}

func (g *gt) mixed(m *Machine) {
	if g.again.due(m) {
		g.s = nil
		return
	}
	if g.count == 0 || g.moved == nil {
		return
	}
	g.s = m.mixed.learn(g.s, 1/float32(g.count), g.moved, g.theirs)
}

func (g *gt) rewired(m *Machine) { g.again.ask(m) }

func (g *gt) frame(m *Machine, _ *neighbour) (Estimate, bool) {
	e := m.last
	e.Base, e.Extra = g.again.at, g.moved
	return e, true
}

func (g *gt) read(m *Machine, _ *neighbour, e Estimate) (Estimate, string) {
	g.again.hear(m, e.Base)
	return e, ""
}

func (*gt) resolved(*Machine, *neighbour, uint64, bool) {}
func (*gt) lost(*Machine, *neighbour)                   {}

func (g *gt) save(s *State) {
	g.again.save(s)
	s.vector("tracker", g.s)
	s.vector("moved", g.moved)
}

func (g *gt) load(_ *Machine, s State) {
	g.again.load(s)
	g.s, g.moved = s.Vectors["tracker"], s.Vectors["moved"]
}

func buildGT(m *Machine) {
	if m.options.RunningSums {
		buildTracker(m)
		return
	}
	g := &gt{}
	m.rule, m.link, m.mix, m.wait = g, g, g, roundWait{}
}

func piecesGT(o Options) []socketPiece {
	if o.RunningSums {
		return append(extras(o), socketPiece{
			name: "running sums", gives: replicas | covered | conserved | freeRunning | tracked,
		})
	}
	return append(extras(o), socketPiece{name: "gradient tracking", gives: covered | lockStep | conserved | tracked})
}
