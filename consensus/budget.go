package consensus

import (
	"errors"
	"slices"
)

// mostSteps bounds the local steps that a block of a fixed time has.
const mostSteps = 4096

// stepsWithin returns how many local steps fit a time, 1 to mostSteps; 1 before a step has been measured.
func (m *Machine) stepsWithin(time Duration) int {
	if m.pace.step == 0 {
		return 1
	}
	return int(min(max(time/m.pace.step, 1), mostSteps))
}

// normaliser returns what to multiply the update of a block by so that it counts like one of the usual
// number of steps (FedNova, Wang et al. 2020, 2007.07481): without it a peer that does twice the steps pulls
// the average twice as far to its own data. A peer that is far slower still jumps no further than training
// bears.
func (m *Machine) normaliser(steps int) float32 {
	if steps == 0 {
		return 1
	}
	return min(float32(m.usualWork(steps))/float32(steps), maxCorrection)
}

// usualWork returns the upper median of the local steps of this block and of the neighbours' last ones.
func (m *Machine) usualWork(steps int) int {
	all := []int{steps}
	for _, n := range m.view.neighbours {
		if n.live && n.replica.Work > 0 {
			all = append(all, n.replica.Work)
		}
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// budgeted is the rule of rounds in which everybody trains for the same time.
type budgeted struct{ inStep }

// steps fits the block into the budget; without one, into the time of LocalSteps at the usual speed around
// here.
func (budgeted) steps(m *Machine) int {
	if m.options.Budget > 0 {
		return m.stepsWithin(m.options.Budget)
	}
	return m.stepsWithin(m.medianBlock())
}

var budgetRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "budget", Title: "the same time for everybody, then an average",
		Wait: "every live neighbour has published for the round; all blocks last about as long, because each " +
			"peer does the local steps that fit the budget",
		Mix:      "the neighbours' estimates of the round, Metropolis weights",
		Equation: "H_i = clamp(floor(T/s_i), 1, 4096); x_i = sum_j w_ij (x_j + (Hbar/H_j) D_j), D_j the update of H_j steps",
		Source:   "this project; FedNova 2007.07481",
		When:     "to compare with: in our runs quorum and pulse were faster",
		WhenNot:  "speeds change from block to block: everybody waits for whoever mistook its own",
		Options:  []Option{optSteps, optBudget, optNormalise, optTimeout, optTimeoutFactor, optMomentum},
	},
	build: buildBudget, defaults: defaultBudget, pieces: piecesInStep,
}

func defaultBudget(o *Options) {
	setDefault(&o.LocalSteps, usualBlock)
	o.Normalise = o.Normalise || o.Share == ""
}

func buildBudget(m *Machine) {
	m.rule = &budgeted{}
	m.wait = roundWait{}
	m.mix = ofRound{}
}

// overcorrected returns what is wrong with two corrections of unequal work at once.
func (o Options) overcorrected() error {
	if o.Normalise && o.Share != "" {
		return errors.New("normalise does not go with share speed: each makes up for unequal work, both together " +
			"pull the average to the slow; leave one of them out")
	}
	return nil
}
