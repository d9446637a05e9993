package estimate

import (
	"fmt"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/topology"
)

// model is how the rounds of a recipe follow from the costs of a network.
type model func(*network) rounds

// models are the recipes that are covered, and refusals those that are not and why.
var (
	models = map[string]model{
		"dpsgd": inStep, "d2": inStep, "gt": inStep, "budget": inStep, "barrier": barrier,
		"quorum": quorate, "local": quorate, "choco": quorate, "pulse": quorate, "auto": quorate,
		"backup": fewest,
		"swift":  free, "dasgd": free, "adpsgd": free, "noloco": free, "sgp": free,
	}
	refusals = map[string]string{
		"dybw": "a round ends when both ends of an edge of its tree have finished, and which edges are left depends on " +
			"all rounds before",
		"aau":    "a round ends when an edge joins two parts of the network, and which are left depends on all rounds before",
		"cutoff": "how many neighbours a peer waits for follows from its own forecasts",
		"dbw":    "how many neighbours a peer waits for follows from its forecasts and from how far it has trained",
		"dssp":   "a peer decides at run time how far it runs ahead, by what it has measured",
	}
)

// simulate is what to do instead.
const simulate = "starling testnet run simulates it"

// modelOf returns the model of a run, or why there is none: the key, its value and what to do.
func modelOf(o consensus.Options, g *topology.Graph) (model, error) {
	refuse := func(key, value, why string) (model, error) {
		return nil, fmt.Errorf("%s %s is not covered by the cost model: %s; %s", key, value, why, simulate)
	}
	if why, refused := refusals[o.Recipe]; refused {
		return refuse("train.recipe", o.Recipe, why)
	}
	m, covered := models[o.Recipe]
	waits := covered && inRounds[o.Recipe] && !o.RunningSums
	switch {
	case !covered:
		return refuse("train.recipe", o.Recipe, "nobody has written down what its rounds cost")
	case o.Schedule.Kind != "":
		return refuse("train.schedule.kind", o.Schedule.Kind, "its peers change their neighbours in every round")
	case waits && o.Timeout > 0:
		return refuse("train.wait.timeout", fmt.Sprintf("%gs", seconds(o.Timeout)), "rounds that are given up are not in it")
	case waits && o.TimeoutFactor > 0:
		return refuse("train.wait.timeout", fmt.Sprintf("%gx", o.TimeoutFactor), "rounds that are given up are not in it")
	case o.Recipe == "sgp" && o.Overlap > 0:
		return refuse("train.overlap", fmt.Sprint(o.Overlap), "waits of peers that are far behind are not in it")
	case o.Recipe == "backup":
		return backupModel(o, g, refuse)
	case o.Recipe == "gt" && o.RunningSums:
		return free, nil
	}
	return m, nil
}

// inRounds are the recipes in which a peer waits for others without a limit.
var inRounds = map[string]bool{
	"dpsgd": true, "d2": true, "gt": true, "budget": true, "barrier": true, "backup": true,
}

// backupModel refuses what fewest does not know.
func backupModel(
	o consensus.Options, g *topology.Graph, refuse func(key, value, why string) (model, error),
) (model, error) {
	switch {
	case o.Mix != consensus.Mutual:
		return refuse("train.mix", string(o.Mix), "peers that wait for most of what is new fall into turns")
	case o.Late != consensus.Skip && o.Late != consensus.Abort:
		return refuse("train.late", string(o.Late), "of recipe backup only skip and abort are")
	case 2*len(g.Edges()) != g.N()*(g.N()-1):
		return refuse("train.recipe", "backup on a graph that is not full",
			"rounds close in parts of the network that change from round to round; topology.graph full is covered")
	}
	return fewest, nil
}
