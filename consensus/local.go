package consensus

// usualBlock is the number of local steps of recipes that publish seldom.
const usualBlock = 8

var localRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "local", Title: "many local steps, then an average",
		Wait: "half of the neighbours have said something new, then a grace",
		Mix:  "the newest estimate of every live neighbour, damped by its age",
		Equation: "D = H local steps from x (or those that fit a budget, times Hbar/H); " +
			"x += D; x += sum_j v_j (rep_j - x) as quorum",
		Source:  "PR-SGD, Yu, Yang, Zhu 2019, 1807.06629; FedNova 2007.07481",
		When:    "sending takes as long as several local steps: a block of eight needs an eighth of the messages",
		WhenNot: "data differ a lot: peers drift apart in long blocks; fewer steps, or a recipe that corrects the drift",
		Options: []Option{
			optSteps, optBudget, optNormalise, optQuorum, optGrace, optGraceFraction, optTimeout, optTimeoutFactor,
			optLatestOrFresh, optWeights, optMomentum,
		},
	},
	build: buildQuorum, defaults: defaultLocal, pieces: piecesQuorum,
}

// defaultLocal normalises unequal work: either this or data in proportion to speed is needed.
func defaultLocal(o *Options) {
	defaultQuorum(o)
	setDefault(&o.LocalSteps, usualBlock)
	o.Normalise = o.Normalise || (o.Budget > 0 && o.Share == "")
}
