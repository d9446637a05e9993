package consensus

// recipes are all recipes in the order in which people should consider them.
var recipes = []composed{
	autoRecipe,
	{
		RecipeInfo: RecipeInfo{
			Name: "pulse", Title: "the beat of the neighbourhood",
			Wait: "a quorum of neighbours with something new, a quarter of a beat at most; a peer slower than the " +
				"beat publishes and mixes in the middle of its block",
			Mix:      "the newest estimate of every live neighbour",
			Equation: "x += c D in round(c) pieces, one a beat, c = s_i/m_i; x += sum_j w_ij (rep_j - x)",
			Source:   "this project's study (docs/recipes.md)",
			When:     "some peers are slower than others, or hold data that nobody else has",
			WhenNot:  "mixing costs a slow peer half a beat or more (it then falls back to quorum by itself)",
			Options:  []Option{optBeatSteps, optQuorum, optPulse},
		},
		build: buildPulse, defaults: defaultPulse, pieces: piecesPulse,
	},
	{
		RecipeInfo: RecipeInfo{
			Name: "quorum", Title: "the fastest few, and the last word of everybody",
			Wait:     "half of the neighbours have said something new, then a grace",
			Mix:      "the newest estimate of every live neighbour, damped by its age",
			Equation: "x += sum_j w_ij/(1 + max(0, a_j - 2m)/m) (rep_j - x)",
			Source:   "SWIFT; Decoupled DiLoCo; quasi-global momentum 2102.04761",
			When:     "simple and robust: nobody waits for the slow, and their data stay in the model",
			WhenNot:  "one peer is ten times slower and alone has a class: pulse hears it more often",
			Options: []Option{
				optSteps, optBudget, optNormalise, optQuorum, optGrace, optGraceFraction, optTimeout, optTimeoutFactor,
				optLatestOrFresh,
				optWeights, optMomentum,
			},
		},
		build: buildQuorum, defaults: defaultQuorum, pieces: piecesQuorum,
	},
	{
		RecipeInfo: RecipeInfo{
			Name: "dpsgd", Title: "wait for all neighbours",
			Wait:     "every live neighbour has published for the round",
			Mix:      "the neighbours' estimates of the round, Metropolis weights",
			Equation: "x_i = sum_j w_ij (x_j - eta g_j(x_j)), w_ij = 1/(1 + max(d_i, d_j))",
			Source:   "Lian et al. 2017, 1705.09056",
			When:     "peers are equally fast; the baseline of every comparison",
			WhenNot:  "one peer is slow: everybody runs at its speed",
			Options:  []Option{optSteps, optBudget, optNormalise, optTimeout, optTimeoutFactor, optMomentum},
		},
		build: buildDPSGD, defaults: func(*Options) {}, pieces: piecesInStep,
	},
	{
		RecipeInfo: RecipeInfo{
			Name: "dybw", Title: "dynamic backup workers",
			Wait: "until both ends of a tree edge not used in this cycle have finished (threshold over a " +
				"spanning tree, no sequencer)",
			Mix:      "edges both ends agree on in this round, Metropolis weights on the active edges",
			Equation: "x_i = sum over active j and i of P_ij xt_j, P_ij = 1/(1 + max(p_i, p_j))",
			Source:   "Xiong, Yan, Singh, Li 2021, 2102.06280",
			When:     "exact averaging matters, slowness is random, and every peer must be heard within N rounds",
			WhenNot:  "one peer is always slow and alone has data: its share shrinks (see participation)",
			Options: []Option{
				optSteps, optLate, optStatic, optParticipation, optTimeout, optTimeoutFactor,
			},
		},
		build: buildDYBW, defaults: defaultDYBW, pieces: piecesDYBW,
	},
	aauRecipe,
	{
		RecipeInfo: RecipeInfo{
			Name: "backup", Title: "a fixed share of backup neighbours",
			Wait:     "a fixed share of the live neighbours has finished the round",
			Mix:      "edges both ends agree on in this round; or the newest of all (mix: latest)",
			Equation: "as dybw, with a fixed p of d",
			Source:   "Chen et al. 2016, 1604.00981; Hop, 1902.01064",
			When:     "slowness is random and data are alike everywhere",
			WhenNot:  "one peer is always slow: with mutual edges its data fade from the model",
			Options: []Option{
				optSteps, optFraction, optLate, optMutualOrLatest, optBackupWeights, optStatic, optParticipation,
				optTimeout, optTimeoutFactor, optMomentum,
			},
		},
		build: buildBackup, defaults: defaultBackup, pieces: piecesBackup,
	},
	{
		RecipeInfo: RecipeInfo{
			Name: "barrier", Title: "wait for the whole network",
			Wait:     "every member that can be reached has finished the round",
			Mix:      "the neighbours' estimates of the round, Metropolis weights",
			Equation: "as dpsgd",
			Source:   "cb-Full in 2102.06280",
			When:     "only to compare with",
			WhenNot:  "anything else: dpsgd mixes the same and waits less",
			Options:  []Option{optSteps, optTimeout, optTimeoutFactor, optMomentum},
		},
		build: buildBarrier, defaults: func(*Options) {}, pieces: piecesInStep,
	},
	swiftRecipe,
	adpsgdRecipe,
	nolocoRecipe,
	cutoffRecipe,
	dbwRecipe,
	dasgdRecipe,
	dsspRecipe,
	chocoRecipe,
	localRecipe,
	budgetRecipe,
	d2Recipe,
	gtRecipe,
	sgpRecipe,
}
