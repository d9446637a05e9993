package consensus

// dasgdRecipe is DaSGD (Zhou et al. 2020, 2006.00441): an average is merged one block after the estimates
// in it were told, so that messages travel while the next block is trained, and nobody waits.
//
// What is told at a block's start is what the next block starts from. At its end the neighbours' estimates
// are compared with that, not with what the block made of it: the block's update stays whole (the paper
// adds the gradients of the delay to the average, which is the same). In step, x' = W x + D(x).
var dasgdRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "dasgd", Title: "the average comes one block later",
		Wait:     "never",
		Mix:      "the newest estimate of every live neighbour, against one's own of a block ago",
		Equation: "x += D; x += gamma sum_j w_ij (rep_j - x before the block); publish",
		Source:   "DaSGD, 2006.00441; the difference form is that of LOSCAR, 2605.20866",
		When:     "peers are about equally fast and messages take most of a block",
		WhenNot:  "blocks are long: peers move on from an average that is a block old; halve local_steps",
		Options:  []Option{optSteps, optReplicaWeights, optGamma},
	},
	build: buildDASGD, defaults: defaultReplicas, pieces: piecesDASGD,
}

// dasgd is the rule and the mix set of a peer that merges one block later.
type dasgd struct {
	plain
	set latest
}

// speak says nothing: the estimate is told when it has been mixed.
func (*dasgd) speak(*Machine, int) {}

// mixed tells what the next block starts from.
func (*dasgd) mixed(m *Machine) { m.tryPublish(m.block.done, false) }

func (d *dasgd) gather(m *Machine) {
	m.mixed.base = m.block.snapshot
	d.set.gather(m)
}

func buildDASGD(m *Machine) {
	d := &dasgd{set: latest{damped: m.options.Weights == InverseAge}}
	m.replace = true
	m.rule, m.mix, m.wait = d, d, never{}
}

func piecesDASGD(o Options) []socketPiece {
	return append(extras(o), socketPiece{
		name: "merging a block later", gives: replicas | covered | freeRunning,
	})
}
