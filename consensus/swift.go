package consensus

// swiftRecipe is SWIFT (Bornstein et al. 2022, 2210.14026): a peer never waits. The paper keeps a mailbox
// with the newest estimate of every neighbour and averages with whatever is in it, and proves convergence
// without a bound on delays. Its weights follow from how often each peer is active; ours are Metropolis
// weights in every mix: a peer that updates rarely is in the mixes of others all the time, so what it
// lacks in updates it makes up in presence, and its data do not fade.
//
// A newer estimate takes the place of one that is still queued for the same neighbour, so that a free
// runner never fills its own uplink (the credits of ASAP, 1612.08608, one a link).
var swiftRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "swift", Title: "nobody waits",
		Wait:     "never",
		Mix:      "the newest estimate of every live neighbour",
		Equation: "x += D; publish; x += sum_j w_ij (rep_j - x), at once",
		Source:   "SWIFT, 2210.14026; ASAP, 1612.08608",
		When:     "speeds differ widely and change, links are fast: no time is lost",
		WhenNot:  "blocks are short against messages: fast peers mix old estimates again and again",
		Options:  []Option{optSteps, optReplicaWeights, optMomentum},
	},
	build: buildSwift, defaults: defaultReplicas, pieces: piecesFree,
}

// optReplicaWeights is read by recipes that mix replicas of any age.
var optReplicaWeights = Option{
	"weights", "constant", "constant, or inverse-age: an old estimate counts less",
	func(o Options) bool { return o.Weights != "" },
}

// never is the wait of a peer that does not wait.
type never struct{}

func (never) begin(*Machine)     {}
func (never) open(*Machine) bool { return true }
func (never) wake(*Machine) Time { return Never }

func buildSwift(m *Machine) {
	m.replace = true
	m.rule, m.wait = &plain{}, never{}
	m.mix = &latest{damped: m.options.Weights == InverseAge}
}

// defaultReplicas mixes replicas of any age by constant weights.
func defaultReplicas(o *Options) { setDefault(&o.Weights, Constant) }

// piecesFree are those of recipes that never wait and mix the newest estimate of everybody.
func piecesFree(o Options) []socketPiece {
	return append(extras(o), socketPiece{
		name: "never waiting", gives: replicas | covered | wholeUpdates | freeRunning,
	})
}
