package testnet

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/starling-ml/starling/internal/settings"
)

// Tune chooses values of some keys for every combination of case and sweep: each candidate is run with
// seeds that are used for nothing else, and the reporting seeds are run with the best one.
type Tune struct {
	// Keys are the keys and their candidates: {train.lr: [0.2, 0.4, 0.8]}. Of several keys every
	// combination is tried.
	Keys map[string][]settings.Tree `yaml:"keys,omitempty"`
	// Seeds is how many seeds each candidate is run with: seed + 1000000, seed + 1000001, ...; 0: 2.
	Seeds int `yaml:"seeds,omitempty" jsonschema:"minimum=0,maximum=10000"`
	// By is what the best candidate is best in, as the median over seeds: time_to_target (the default),
	// loss or accuracy. Ties, and targets that no candidate reached, are decided by the loss at the end,
	// and then for the smaller value.
	By string `yaml:"by,omitempty" jsonschema:"enum=time_to_target,enum=loss,enum=accuracy"`
	// UntilTarget ends runs that tune as soon as the target is reached.
	UntilTarget bool `yaml:"until_target,omitempty"`
}

// tuneSeeds is the distance from the first reporting seed to the first seed for tuning: more than there
// can be reporting seeds.
const tuneSeeds = 1_000_000

// seeds returns the seeds for tuning of a manifest whose first seed is root.
func (t *Tune) seeds(root uint64) []uint64 {
	var all []uint64
	for i := range cmp.Or(t.Seeds, 2) {
		all = append(all, root+tuneSeeds+uint64(i))
	}
	return all
}

// candidates are the combinations of the tuned keys.
func (t *Tune) candidates() []combination { return product(t.axes()) }

// axes are the tuned keys with their candidates.
func (t *Tune) axes() []axis {
	var axes []axis
	for _, key := range slices.Sorted(maps.Keys(t.Keys)) {
		a := axis{key: key}
		for _, value := range t.Keys[key] {
			over := settings.Override{Origin: "tune", Path: key, Tree: value}
			a.values = append(a.values, choice{key, value.String(), []settings.Override{over}})
		}
		axes = append(axes, a)
	}
	return axes
}

// names are the last words of the tuned keys.
func (t *Tune) names() string {
	var names []string
	for _, key := range slices.Sorted(maps.Keys(t.Keys)) {
		names = append(names, lastKey(key))
	}
	return strings.Join(names, " and ")
}

// best returns the index of the best candidate, where results[i] are those of candidate i.
func (t *Tune) best(candidates []combination, results [][]Result) int {
	best := 0
	for i := range candidates {
		if t.compare(candidates, results, i, best) < 0 {
			best = i
		}
	}
	return best
}

// compare is negative when candidate i is better than candidate j.
func (t *Tune) compare(candidates []combination, results [][]Result, i, j int) int {
	return cmp.Or(
		cmp.Compare(cost(results[i], t.by()), cost(results[j], t.by())),
		cmp.Compare(cost(results[i], "loss"), cost(results[j], "loss")),
		slices.CompareFunc(candidates[i], candidates[j], smaller),
	)
}

func (t *Tune) by() string { return Expectation{Metric: cmp.Or(t.By, "time_to_target")}.metric() }

// cost is the median of a metric, turned so that less is better; what is no number is worst.
func cost(results []Result, metric string) float64 {
	all := make([]int, len(results))
	for i := range all {
		all[i] = i
	}
	value := median(results, all, metric)
	if metric == "accuracy" {
		value = -value
	}
	if math.IsNaN(value) {
		return math.Inf(1)
	}
	return value
}

// smaller compares two candidates for one key as numbers, and by name if they are none.
func smaller(a, b choice) int {
	x, errA := strconv.ParseFloat(a.label, 64)
	y, errB := strconv.ParseFloat(b.label, 64)
	if errA != nil || errB != nil {
		return cmp.Compare(a.label, b.label)
	}
	return cmp.Compare(x, y)
}

// checkTune reports keys that cannot be tuned, and an aim that cannot be missed or met.
func (l *Loaded) checkTune() {
	t := l.Tune
	if t == nil {
		return
	}
	if len(t.Keys) == 0 {
		l.Document.Problem("tune.keys", "missing", "name what is tuned, as in {train.lr: [0.2, 0.4, 0.8]}")
	}
	for _, key := range slices.Sorted(maps.Keys(t.Keys)) {
		path := "tune.keys." + key
		l.checkChosen(path, key, "tuned")
		l.checkValues(path, key, t.Keys[key])
		if _, swept := l.Sweep[key]; swept || key == recipeKey {
			l.Document.Problem(path, key+" is what is compared", "sweep a key or tune it, not both")
		}
	}
	if l.Train.Stop.Target == nil && (t.UntilTarget || t.by() == "time_to_target_s") {
		l.Document.Problem("tune.by", "there is no target", "set train.stop.target, or by: loss")
	}
	if t.UntilTarget && t.by() != "time_to_target_s" {
		l.Document.Problem("tune.until_target", fmt.Sprintf("runs that end at the target have no final %s", t.By),
			"remove it, or use by: time_to_target")
	}
}
