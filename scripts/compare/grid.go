package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/starling-ml/starling/testnet"
)

// scene is a case of the grid as the page shows it.
type scene struct {
	name string
	// even is the case without a straggler that sets the limit: time of dpsgd in it * slowdown.
	even string
	// slowdown is the number of peers over the sum of their mean speeds, relative to even.
	slowdown float64
}

// The scenes, by table. Step times of a tenth at 10x have mean 1.9, a quarter at 3x leaves 6 + 2/3 of 8.
var (
	alike = []scene{
		{"iid", "iid", 1},
		{"iid-4x", "iid", 8 / 7.25},
		{"iid-10x", "iid", 8 / 7.1},
		{"iid-quarter-3x", "iid", 8 / (6 + 2.0/3)},
		{"iid-random-10x", "iid", 1.9},
		{"iid-exponential", "iid", 1},
		{"dirichlet", "dirichlet", 1},
		{"dirichlet-10x", "dirichlet", 8 / 7.1},
	}
	links = []scene{
		{"iid-fast", "iid-fast", 1},
		{"iid-slow-link", "iid-slow-link", 1},
		{"iid-comm-1to1", "iid-comm-1to1", 1},
		{"iid-comm-1to5", "iid-comm-1to5", 1},
		{"iid-death", "iid", 1},
		{"iid-joiner", "iid", 1},
	}
	owned = []scene{
		{"exclusive-even", "exclusive-even", 1},
		{"exclusive", "exclusive-even", 8 / 7.1},
		{"exclusive-4x", "exclusive-even", 8 / 7.25},
		{"exclusive-random-10x", "exclusive-even", 1.9},
		{"exclusive-fast", "exclusive-even", 8 / 7.1},
		{"exclusive-slow-link", "iid-slow-link", 8 / 7.1},
		{"exclusive-comm-1to1", "iid-comm-1to1", 8 / 7.1},
		{"exclusive-comm-1to5", "iid-comm-1to5", 8 / 7.1},
		{"exclusive-death", "exclusive-even", 8 / 7.1},
		{"exclusive-joiner", "exclusive-even", 8 / 7.1},
	}
)

// even are the cases in which nobody is slow.
var even = []scene{
	{"iid", "iid", 1}, {"iid-fast", "iid-fast", 1}, {"dirichlet", "dirichlet", 1}, {"exclusive-even", "exclusive-even", 1},
}

// The recipe that everything is held against, and the class that the slow peer alone has.
const baseline, class = "dpsgd", "7"

// grid is the results by case and recipe.
type grid struct {
	recipes []string
	runs    map[[2]string][]testnet.Result
}

func newGrid(results []testnet.Result) grid {
	g := grid{runs: map[[2]string][]testnet.Result{}}
	for _, r := range results {
		key := [2]string{r.Sweep["case"], r.Recipe}
		g.runs[key] = append(g.runs[key], r)
		if !slices.Contains(g.recipes, r.Recipe) {
			g.recipes = append(g.recipes, r.Recipe)
		}
	}
	return g
}

// median returns the median over seeds of a figure of the runs of a recipe in a case.
func (g grid) median(name, recipe string, figure func(r testnet.Result) float64) float64 {
	var all []float64
	for _, r := range g.runs[[2]string{name, recipe}] {
		all = append(all, figure(r))
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	low, high := all[(len(all)-1)/2], all[len(all)/2]
	if low == high { // both may be infinite
		return low
	}
	return (low + high) / 2
}

func timeToTarget(r testnet.Result) float64 {
	if r.TimeToTarget == nil {
		return math.Inf(1)
	}
	return *r.TimeToTarget
}

// ratio is the time to the target of a recipe over the capacity limit of a scene.
func (g grid) ratio(s scene, recipe string) float64 {
	return g.median(s.name, recipe, timeToTarget) / (g.median(s.even, baseline, timeToTarget) * s.slowdown)
}

// recallGap is the recall of the slow peer's class at the end, less that of the baseline where nobody is
// slow, on the same seeds.
func (g grid) recallGap(s scene, recipe string) float64 {
	recall := func(r testnet.Result) float64 { return r.Recall[class] }
	return g.median(s.name, recipe, recall) - g.median("exclusive-even", baseline, recall)
}

// insert returns the table of that name.
func (g grid) insert(name string) (string, error) {
	switch name {
	case "alike":
		return g.table(alike, g.ratio, "%.2f"), nil
	case "links":
		return g.table(links, g.ratio, "%.2f"), nil
	case "owned":
		return g.table(owned, g.ratio, "%.2f"), nil
	case "recall":
		return g.table(owned, g.recallGap, "%+.3f"), nil
	case "bytes":
		return g.table(slices.Concat(alike[:1], links[1:4], owned[1:2]), g.megabytes, "%.1f"), nil
	case "rates":
		return g.rates(), nil
	case "times":
		return g.times(), nil
	case "choice":
		return g.choice(), nil
	case "even":
		return g.table(even, g.ratio, "%.2f"), nil
	case "main":
		return g.main(), nil
	}
	return "", fmt.Errorf("page.tmpl asks for a table %q, which there is not", name)
}

// megabytes is what a peer has sent until the target: the bytes of the run, in proportion to the time.
func (g grid) megabytes(s scene, recipe string) float64 {
	return g.median(s.name, recipe, func(r testnet.Result) float64 {
		return float64(r.SentBytes) / 1e6 / float64(r.Peers) * timeToTarget(r) / r.Time
	})
}

// table has a row for each recipe and a column for each scene.
func (g grid) table(scenes []scene, figure func(s scene, recipe string) float64, format string) string {
	var b strings.Builder
	b.WriteString("| recipe |")
	for _, s := range scenes {
		fmt.Fprintf(&b, " %s |", s.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(scenes)) + "\n")
	for _, recipe := range g.recipes {
		fmt.Fprintf(&b, "| `%s` |", recipe)
		for _, s := range scenes {
			fmt.Fprintf(&b, " %s |", readable(figure(s, recipe), format))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// readable writes what is never reached as a dash.
func readable(x float64, format string) string {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf(format, x)
}

// times are the baseline's times to the target, from which the limits follow.
func (g grid) times() string {
	var b strings.Builder
	b.WriteString("| case | `" + baseline + "`, median [least, most] s |\n|---|---|\n")
	for _, s := range slices.Concat(alike, links, owned) {
		fmt.Fprintf(&b, "| %s | %s |\n", s.name, g.spread(s.name, baseline))
	}
	return b.String()
}

// rates are the step sizes as tuned.
func (g grid) rates() string {
	return g.table(slices.Concat(alike, owned[:3], links[3:4]), func(s scene, recipe string) float64 {
		return g.median(s.name, recipe, func(r testnet.Result) float64 {
			var rate float64
			if _, err := fmt.Sscan(r.Tuned["train.lr"], &rate); err != nil {
				return math.NaN()
			}
			return rate
		})
	}, "%g")
}

// main has the few rows that are repeated under other circumstances: times, and how they stand to the limit.
func (g grid) main() string {
	var b strings.Builder
	b.WriteString("| recipe | iid, s | iid-10x, s | / limit | exclusive, s | / limit | recall of 7, gap |" +
		" nobody slow: recall gap |\n|---|---|---|---|---|---|---|---|\n")
	slow := []scene{{"iid-10x", "iid", 8 / 7.1}, {"exclusive", "exclusive-even", 8 / 7.1}}
	even := scene{"exclusive-even", "exclusive-even", 1}
	for _, recipe := range g.recipes {
		fmt.Fprintf(&b, "| `%s` | %s |", recipe, g.spread("iid", recipe))
		for _, s := range slow {
			fmt.Fprintf(&b, " %s | %s |", g.spread(s.name, recipe), readable(g.ratio(s, recipe), "%.2f"))
		}
		fmt.Fprintf(&b, " %s | %s |\n", readable(g.recallGap(slow[1], recipe), "%+.3f"),
			readable(g.recallGap(even, recipe), "%+.3f"))
	}
	return b.String()
}

// spread is the median time to the target, the least and the most.
func (g grid) spread(name, recipe string) string {
	var all []float64
	for _, r := range g.runs[[2]string{name, recipe}] {
		all = append(all, timeToTarget(r))
	}
	if len(all) == 0 {
		return "–"
	}
	return fmt.Sprintf("%s [%s, %s]", readable(g.median(name, recipe, timeToTarget), "%.2f"),
		readable(slices.Min(all), "%.2f"), readable(slices.Max(all), "%.2f"))
}
