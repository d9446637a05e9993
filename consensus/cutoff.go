package consensus

// cutoffRecipe is the dynamic cutoff of Teng and Wood (1803.04209), per peer and without a server: wait for c of the
// neighbours, where c/E[T_(c)], estimates a unit of time, is largest. The paper forecasts the times with a deep
// generative model that is trained for one cluster; here they are those of each neighbour's last blocks. It drops
// what comes later; here the latest word of everybody is mixed.
var cutoffRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "cutoff", Title: "as many as pay, by forecast times",
		Wait: "for so many new estimates that (c+1) divided by the expected time until then is largest",
		Mix:  "the newest estimate of every live neighbour, damped by its age",
		Equation: "c = argmax (c+1)/(t + E[R_(c)]), t: since the block began, R_(c): c-th smallest remaining time, " +
			"given how long each neighbour has been silent; x += sum_j w_ij (rep_j - x)",
		Source:  "Teng and Wood 2018, 1803.04209",
		When:    "slowness follows a law: some are seldom slow, or always, and nobody wants to choose a number",
		WhenNot: "times are exponential: then it waits for one or two, and agreement suffers",
		Options: []Option{
			optSteps, optBudget, optNormalise, optTimeout, optTimeoutFactor, optReplicaWeights, optMomentum,
		},
	},
	build: buildCutoff, defaults: defaultReplicas, pieces: piecesQuorum,
}

func buildCutoff(m *Machine) {
	f := &forecast{value: func(_ *Machine, heard int) float64 { return float64(heard + 1) }}
	m.useForecast(f, f)
}

// useForecast sets the sockets of a recipe that forecasts.
func (m *Machine) useForecast(r rule, w wait) {
	m.replace = true
	m.rule, m.wait = r, w
	m.mix = &latest{damped: m.options.Weights == InverseAge}
}
