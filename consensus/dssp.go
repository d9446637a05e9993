package consensus

// dsspRecipe bounds how far a peer runs ahead of its slowest neighbour. The bound is chosen at run time as in
// DSSP (Zhao et al. 2019, 1908.11848): gap_min blocks are always allowed, and up to gap_max when the next words
// of the slow are expected to come nearer to the end of a later block than to now. DSSP has a server; here every
// peer compares itself with its own neighbours, as in Hop (Luo et al. 2019, 1902.01064).
//
// Hop's tokens are counters: the round in an estimate says how many tokens its sender has given so far. A lost
// message takes none of them away, and a newer estimate may replace one that is still queued.
//
// A bound alone brings everybody to the speed of a peer that is always slow. As in Hop that peer skips: at the
// end of a long block it joins the round of the fastest neighbour, at most max_skip rounds further on.
var dsspRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "dssp", Title: "a bound on running ahead",
		Wait: "until the slowest neighbour is at most gap_min blocks behind; up to gap_max where running on makes " +
			"the wait shorter; a peer that is behind skips rounds",
		Mix: "the newest estimate of every live neighbour",
		Equation: "r* = argmin_r min_k |r I_i - (t_j + k I_j)|, 0 <= r <= gap_max + 1 - gap, j the slowest neighbour; " +
			"wait if r* = 0; x += sum_j w_ij (rep_j - x)",
		Source:  "DSSP, 1908.11848; tokens and skipping of Hop, 1902.01064",
		When:    "slowness comes and goes, and no estimate in a mix may be older than a few blocks",
		WhenNot: "a peer is always slower than gap_max blocks: the others still wait a part of each of its blocks",
		Options: []Option{
			optSteps, optBudget, optNormalise, optGapMin, optGapMax, optMaxSkip, optTimeout, optTimeoutFactor,
			optReplicaWeights, optMomentum,
		},
	},
	build: buildDSSP, defaults: defaultDSSP, pieces: piecesDSSP,
}

// dssp is the rule and the wait of a peer that may run ahead.
type dssp struct {
	plain
	goesOn bool // running on is expected to make the wait shorter
}

// completed returns how many blocks a neighbour has finished or skipped, as far as this peer knows.
func (n *neighbour) completed() uint64 {
	if n.replica.Seq == 0 {
		return n.replica.Round // of the peer that greeted it
	}
	return n.replica.Round + 1
}

// slowest returns the live neighbour that is farthest behind, of several the one with the longest blocks.
func (m *Machine) slowest() *neighbour {
	var slowest *neighbour
	for _, n := range m.view.neighbours {
		switch {
		case !n.live:
		case slowest == nil, n.completed() < slowest.completed(),
			n.completed() == slowest.completed() && n.blockTime() > slowest.blockTime():
			slowest = n
		}
	}
	return slowest
}

// blockTime returns how long the blocks of a neighbour are; 0 if it has not said that yet.
func (n *neighbour) blockTime() Duration { return n.stepTime * Duration(max(n.replica.Work, 1)) }

// gap returns by how many blocks this peer would be ahead of a neighbour in its next block.
func (m *Machine) gap(n *neighbour) int { return int(int64(m.round+1) - int64(n.completed())) }

// begin decides whether to run on, once for the whole wait.
func (d *dssp) begin(m *Machine) {
	n := m.slowest()
	d.goesOn = n == nil || m.extra(n) > 0
}

// extra returns how many more blocks to run before waiting for a neighbour: the number after which its next
// estimate is expected at the nearest time, before or after.
func (m *Machine) extra(n *neighbour) int {
	mine, theirs := m.pace.step*Duration(m.block.done), n.blockTime()
	if mine == 0 || theirs == 0 {
		return 0
	}
	since := Duration(m.now-n.replica.arrived) % theirs
	next := theirs - since // until its first estimate from now on
	best, least := 0, next
	for r := 1; r <= m.options.GapMax+1-m.gap(n); r++ {
		off := Duration(r)*mine - next
		if off < 0 {
			off = -off
		} else {
			off = min(off%theirs, theirs-off%theirs)
		}
		if off < least {
			best, least = r, off
		}
	}
	return best
}

func (d *dssp) open(m *Machine) bool {
	n := m.slowest()
	return n == nil || m.gap(n) <= m.options.GapMin || d.goesOn || m.overdue()
}

func (d *dssp) wake(m *Machine) Time { return m.overdueAt() }

// apply skips the rounds that this peer is behind.
func (d *dssp) apply(m *Machine, done Trained) {
	m.enter(m.skipTo(m.missed(done.Steps)))
	d.plain.apply(m, done)
}

// long is the length of a block, in usual ones, from which on it is a reason to skip.
const long = 1.5

// missed returns how many rounds may be skipped for a block of so many steps: those that the others had time for
// meanwhile. A peer that is behind because it waited must not skip, or the blocks that it could still be ahead of
// the slow are gone.
func (m *Machine) missed(steps int) int {
	took, usual := float64(m.now-m.block.began), float64(m.medianStep()*Duration(steps))
	if usual == 0 || took < long*usual {
		return 0
	}
	return min(int(min(took/usual, mostSteps))+1, m.options.MaxSkip)
}

// skipTo returns the round in which this peer's block counts when it may skip some. A skip is no reason to be too
// far ahead of another slow neighbour. A peer that is further behind than the bound lets anybody be was away: it
// joins at once.
func (m *Machine) skipTo(most int) uint64 {
	front := m.round
	for _, n := range m.view.neighbours {
		if n.live && n.replica.Seq > 0 {
			front = max(front, n.replica.Round)
		}
	}
	if front > m.round+uint64(m.options.GapMax) {
		return front
	}
	front = min(front, m.round+uint64(most))
	if n := m.slowest(); n != nil {
		front = min(front, n.completed()+uint64(m.options.GapMax))
	}
	return front
}

// greet counts a neighbour as level that has not said yet where it is.
func (d *dssp) greet(m *Machine, n *neighbour) {
	if n.replica.Seq == 0 {
		n.replica.Round = m.round
	}
}

func buildDSSP(m *Machine) {
	m.replace = true
	d := &dssp{}
	m.rule, m.wait = d, d
	m.mix = &latest{damped: m.options.Weights == InverseAge}
}

func defaultDSSP(o *Options) {
	defaultReplicas(o)
	setDefault(&o.GapMin, 1)
	setDefault(&o.GapMax, max(8, o.GapMin))
	setDefault(&o.MaxSkip, o.GapMax)
}

func piecesDSSP(o Options) []socketPiece {
	return append(extras(o), socketPiece{
		name: "a bound on running ahead", gives: replicas | covered | wholeUpdates | freeRunning,
	})
}
