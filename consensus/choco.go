package consensus

import "github.com/starling-ml/starling/vec"

// chocoRecipe is CHOCO-SGD (Koloskova et al. 2019, 1902.00340, 1907.09356) without rounds. Peers tell each other
// a fifth of what has changed and mix what has been told, gamma of the way; what was not told stays in the
// next difference. Compressing both what a peer sends and what it mixes is DoubleSqueeze (1905.05957)
// without a server; with codec slim the indices of the larger part are known at both ends (1709.09393).
//
// The papers' rounds are in step, with one replica for all. Ours are those of quorum, and each link has its
// own replica, because frames arrive at different times and members come and go.
var chocoRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "choco", Title: "a part of what has changed",
		Wait:     "half of the neighbours have said something new, then a grace",
		Mix:      "the newest estimate of every live neighbour as far as it was told, gamma of the way",
		Equation: "q = C(x - xhat); xhat += q; x += gamma sum_j w_ij (xhat_j - xhat_i); v as in quasi-global momentum",
		Source:   "CHOCO-SGD 1902.00340, 1907.09356; DoubleSqueeze 1905.05957; Slim-DP 1709.09393",
		When:     "links are so slow that even a byte a value is too much",
		WhenNot:  "a byte a value is not: codec int8 on any recipe mixes all of the way and is never behind",
		Options: []Option{
			optSteps, optQuorum, optGrace, optGraceFraction, optTimeout, optTimeoutFactor, optWeights,
			optChocoMomentum, optChocoCodec, optChocoGamma,
		},
	},
	build: buildQuorum, defaults: defaultChoco, pieces: piecesQuorum,
}

var (
	optChocoMomentum = Option{
		"momentum", "0.3", "quasi-global momentum over whole blocks",
		func(o Options) bool { return o.Momentum != 0 },
	}
	optChocoCodec = Option{
		"codec", "top-k", "top-k: the values that changed most; slim: most of their indices are known at both ends",
		func(o Options) bool { return o.Codec.Kind != "" },
	}
	optChocoGamma = Option{
		"gamma", "top-k: 1.5 keep, slim: 0.6 keep", "share of the way to the average that a mix goes",
		func(o Options) bool { return o.Gamma != 0 },
	}
)

func defaultChoco(o *Options) {
	defaultQuorum(o)
	setDefault(&o.Momentum, 0.3)
	setDefault(&o.Codec.Kind, vec.TopK)
}
