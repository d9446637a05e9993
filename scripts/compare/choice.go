package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// What a default has to keep.
const (
	mostSlower = 1.05  // of the baseline where nobody is slow
	mostLoss   = -0.02 // of the recall of the slow peer's class
	notReached = 8     // the ratio that counts for a target that is not reached
)

// verdict is how one recipe did in all of the grid.
type verdict struct {
	recipe     string
	even       float64 // geometric mean of the time relative to the baseline where nobody is slow
	mean       float64 // geometric mean over the cases with stragglers of the time relative to the limit
	worst      float64
	worstCase  string
	unreached  int
	recall     float64 // worst gap in the cases of the base network
	recallCase string
}

// judge sums a recipe up.
func (g grid) judge(recipe string) verdict {
	v := verdict{recipe: recipe, recall: math.Inf(1)}
	sum, count := 0.0, 0
	for _, s := range even {
		sum += math.Log(g.ratio(s, recipe))
	}
	v.even = math.Exp(sum / float64(len(even)))
	sum = 0
	for _, s := range slices.Concat(alike, owned) {
		if s.name == s.even {
			continue
		}
		ratio := g.ratio(s, recipe)
		if math.IsInf(ratio, 0) || math.IsNaN(ratio) {
			v.unreached++
			ratio = notReached
		}
		if ratio > v.worst {
			v.worst, v.worstCase = ratio, s.name
		}
		sum += math.Log(ratio)
		count++
	}
	v.mean = math.Exp(sum / float64(count))
	for _, s := range owned[:4] {
		if gap := g.recallGap(s, recipe); gap < v.recall {
			v.recall, v.recallCase = gap, s.name
		}
	}
	return v
}

// keeps tells whether a recipe may be a default.
func (v verdict) keeps() bool {
	return v.even <= mostSlower && v.recall >= mostLoss && v.unreached == 0
}

// choice is the table of all recipes, the nearest to the limit first.
func (g grid) choice() string {
	var all []verdict
	for _, recipe := range g.recipes {
		all = append(all, g.judge(recipe))
	}
	slices.SortFunc(all, func(a, b verdict) int { return cmp.Compare(a.mean, b.mean) })
	var b strings.Builder
	b.WriteString("| recipe | time / limit, geometric mean | worst | targets missed |" +
		" nobody slow: time / `dpsgd`, geometric mean | recall of 7, worst gap | keeps all |\n" +
		"|---|---|---|---|---|---|---|\n")
	for _, v := range all {
		worst := readable(v.worst, "%.2f") + " " + v.worstCase
		if v.unreached > 0 {
			worst = "–"
		}
		keeps := "no"
		if v.keeps() {
			keeps = "**yes**"
		}
		fmt.Fprintf(&b, "| `%s` | %.2f | %s | %d | %s | %s %s | %s |\n",
			v.recipe, v.mean, worst,
			v.unreached, readable(v.even, "%.2f"), readable(v.recall, "%+.3f"), v.recallCase, keeps)
	}
	return b.String()
}
