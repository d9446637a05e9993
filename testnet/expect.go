package testnet

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Expectation is a statement about the results that must hold, or the command exits with 4. The value
// is the median over seeds; with Of it is divided by the same metric of another recipe.
type Expectation struct {
	Metric string `yaml:"metric" json:"metric" jsonschema:"required"`
	// Recipe limits the statement to one recipe; empty: it must hold for each.
	Recipe string `yaml:"recipe,omitempty" json:"recipe,omitempty"`
	// Of names the recipe whose metric the value is divided by.
	Of string `yaml:"of,omitempty" json:"of,omitempty"`
	// When limits the statement to runs with one value of a swept key: "slow = 10x". The name may be
	// any part of the key.
	When     string   `yaml:"when,omitempty" json:"when,omitempty"`
	AtLeast  *float64 `yaml:"at_least,omitempty" json:"at_least,omitempty"`
	AtMost   *float64 `yaml:"at_most,omitempty" json:"at_most,omitempty"`
	LessThan *float64 `yaml:"less_than,omitempty" json:"less_than,omitempty"`
}

// metric is the name of the metric as results know it.
func (e Expectation) metric() string {
	name := strings.TrimPrefix(e.Metric, "eval/")
	if name == "time_to_target" {
		return "time_to_target_s"
	}
	return name
}

// Verdict says whether an expectation held, and for which runs it did not.
type Verdict struct {
	Expectation
	OK bool `json:"ok"`
	// Value is the median that decided; nil when it is infinite (a target never reached) or missing.
	Value *float64 `json:"value"`
	Text  string   `json:"text"`
	// Runs are the indices, in the summary, of the runs that the value came from.
	Runs []int `json:"runs"`
	// Line of the manifest; 0 if unknown.
	Line int `json:"line,omitempty"`
}

// Judge checks an expectation against all results. No matching run is a failure: a statement about
// nothing is a mistake.
func Judge(e Expectation, results []Result) Verdict {
	verdict := Verdict{Expectation: e, Text: e.String() + ": no run matches"}
	for _, g := range groups(results) {
		first := &results[g[0]]
		if e.Recipe != "" && first.Recipe != e.Recipe || !e.matches(first) {
			continue
		}
		if e.Of != "" && first.Recipe == e.Of && e.Recipe == "" {
			continue
		}
		verdict = e.judge(results, g)
		if !verdict.OK {
			return verdict
		}
	}
	return verdict
}

// judge checks an expectation on the runs of one recipe and one set of swept values.
func (e Expectation) judge(results []Result, group []int) Verdict {
	value := median(results, group, e.metric())
	if e.Of != "" {
		value /= median(results, sibling(results, group[0], e.Of), e.metric())
	}
	verdict := Verdict{Expectation: e, OK: e.holds(value), Runs: group}
	verdict.Text = fmt.Sprintf("%s of %s is %s, expected %s",
		e.Metric, results[group[0]].label(), readable(value), e.bound())
	if !math.IsInf(value, 0) && !math.IsNaN(value) {
		verdict.Value = &value
	}
	return verdict
}

func (e Expectation) holds(value float64) bool {
	return !math.IsNaN(value) &&
		(e.AtLeast == nil || value >= *e.AtLeast) &&
		(e.AtMost == nil || value <= *e.AtMost) &&
		(e.LessThan == nil || value < *e.LessThan)
}

// bound says what was asked: "at least 0.95", "less than 0.6 of dpsgd".
func (e Expectation) bound() string {
	var parts []string
	for _, b := range []struct {
		word  string
		value *float64
	}{{"at least", e.AtLeast}, {"at most", e.AtMost}, {"less than", e.LessThan}} {
		if b.value != nil {
			parts = append(parts, fmt.Sprintf("%s %g", b.word, *b.value))
		}
	}
	text := strings.Join(parts, " and ")
	if e.Of != "" {
		text += " of " + e.Of
	}
	return text
}

// String is the expectation as one reads it.
func (e Expectation) String() string {
	text := e.Metric
	if e.Recipe != "" {
		text += " of " + e.Recipe
	}
	text += " " + e.bound()
	if e.When != "" {
		text += " when " + e.When
	}
	return text
}

// condition returns the parts of When.
func (e Expectation) condition() (name, value string) {
	name, value, _ = strings.Cut(e.When, "=")
	return strings.TrimSpace(name), strings.TrimSpace(value)
}

// concerns tells whether the expectation is about some runs of these axes.
func (e Expectation) concerns(axes []axis) bool {
	name, value := e.condition()
	met := e.When == ""
	for _, a := range axes {
		switch {
		case a.key != recipeKey:
			met = met || a.means(name) && a.has(value)
		case e.Recipe != "" && !a.has(e.Recipe), e.Of != "" && !a.has(e.Of):
			return false
		}
	}
	return met
}

// matches tells whether the swept values of a run are those of When.
func (e Expectation) matches(r *Result) bool {
	if e.When == "" {
		return true
	}
	name, value := e.condition()
	for key, swept := range r.Sweep {
		if swept == value && (axis{key: key}).means(name) {
			return true
		}
	}
	return false
}

// groups returns the indices of results that differ in the seed alone, in the order of first sight.
func groups(results []Result) [][]int {
	var all [][]int
	place := map[string]int{}
	for i := range results {
		label := results[i].label()
		at, seen := place[label]
		if !seen {
			at = len(all)
			place[label] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], i)
	}
	return all
}

// sibling returns the runs of another recipe with the swept values of one run.
func sibling(results []Result, like int, recipe string) []int {
	twin := results[like]
	twin.Recipe = recipe
	var group []int
	for i := range results {
		if results[i].label() == twin.label() {
			group = append(group, i)
		}
	}
	return group
}

// median returns the median of a metric over some runs, NaN without any; of an even number it is the
// mean of the middle two.
func median(results []Result, group []int, metric string) float64 {
	var values []float64
	for _, i := range group {
		if v, ok := results[i].Metric(metric); ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	if low == high {
		return low
	}
	return (low + high) / 2
}

func readable(value float64) string {
	switch {
	case math.IsInf(value, 1):
		return "not reached"
	case math.IsNaN(value):
		return "unknown"
	}
	return fmt.Sprintf("%.4g", value)
}

// lastKey returns the part of a dotted key that tells most: "slow" of peers.groups.slow.compute.step
// would be ambiguous, so it is the last one.
func lastKey(key string) string {
	return key[strings.LastIndexByte(key, '.')+1:]
}

// recallClass returns the class of a recall metric: recall/7 or eval/recall/7.
func recallClass(metric string) (string, bool) {
	return strings.CutPrefix(strings.TrimPrefix(metric, "eval/"), "recall/")
}
