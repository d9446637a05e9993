package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/starling-ml/starling/testnet"
)

// build is all that one version of the program has run.
type build struct {
	version, commit string
	groups          []*group
}

// group is one network in one case: what differs within it is the recipe and the seed alone.
type group struct {
	build   *build
	name    string // of the manifest
	variant string // its case and swept values
	hash    string // of the manifest: not shown unless two of the same name differ
	title   string // unique within the build
	series  []*series
}

// series is one recipe in a group, with every seed.
type series struct {
	group  *group
	recipe string
	runs   []*run
}

// gather puts the runs in order: by version, by network and case, by recipe.
func (r *Report) gather() {
	for _, j := range r.jobs {
		b := r.build(j)
		for _, one := range j.runs {
			s := b.group(j, &one.result).of(one.result.Recipe)
			if s.has(one) {
				r.notes = append(r.notes, fmt.Sprintf("%s: %s with seed %d is there already and counts once",
					j.Path, label(&one.result), one.result.Seed))
				continue
			}
			s.runs = append(s.runs, one)
			if !slices.Contains(r.recipes, one.result.Recipe) {
				r.recipes = append(r.recipes, one.result.Recipe)
			}
		}
	}
	for _, b := range r.builds {
		b.entitle()
	}
}

func (r *Report) build(j *job) *build {
	for _, b := range r.builds {
		if b.version == j.Meta.Version && b.commit == j.Meta.Commit {
			return b
		}
	}
	b := &build{version: j.Meta.Version, commit: j.Meta.Commit}
	r.builds = append(r.builds, b)
	return b
}

func (b *build) group(j *job, result *testnet.Result) *group {
	variant := variant(result.Sweep)
	for _, g := range b.groups {
		if g.name == j.Meta.Name && g.variant == variant && g.hash == j.Meta.ConfigHash {
			return g
		}
	}
	g := &group{build: b, name: j.Meta.Name, variant: variant, hash: j.Meta.ConfigHash}
	b.groups = append(b.groups, g)
	return g
}

// entitle names the groups. Manifests of one name and other settings are told apart by their hash.
func (b *build) entitle() {
	for _, g := range b.groups {
		g.title = g.name
		if g.variant != "" {
			g.title += " " + g.variant
		}
		if slices.ContainsFunc(b.groups, func(o *group) bool { return o.name == g.name && o.hash != g.hash }) {
			g.title += " (settings " + g.hash + ")"
		}
	}
}

func (g *group) of(recipe string) *series {
	for _, s := range g.series {
		if s.recipe == recipe {
			return s
		}
	}
	s := &series{group: g, recipe: recipe}
	g.series = append(g.series, s)
	return s
}

// has tells whether a run in virtual time is there: another with the same seed is the same. Runs in real
// time are never the same.
func (s *series) has(r *run) bool {
	return r.result.Runtime == string(testnet.VirtualTime) && slices.ContainsFunc(s.runs, func(o *run) bool {
		return o.result.Seed == r.result.Seed && o.result.Runtime == r.result.Runtime
	})
}

// variant is what is swept, other than the recipe.
func variant(sweep map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(sweep)) {
		last := key[strings.LastIndex(key, ".")+1:]
		parts = append(parts, last+"="+sweep[key])
	}
	return strings.Join(parts, " ")
}

func label(r *testnet.Result) string { return strings.TrimSpace(r.Recipe + " " + variant(r.Sweep)) }

// values are those of a metric, one a run.
func (s *series) values(metric string) []float64 {
	var all []float64
	for _, r := range s.runs {
		if v, ok := r.result.Metric(metric); ok {
			all = append(all, v)
		}
	}
	return all
}

// network is that of the first run that left its files; nil: none did.
func (g *group) network() *testnet.Network {
	for _, s := range g.series {
		for _, r := range s.runs {
			if r.network != nil {
				return r.network
			}
		}
	}
	return nil
}

// virtual tells whether a run of the group was on the virtual clock.
func (g *group) virtual() bool {
	return slices.ContainsFunc(g.series, func(s *series) bool {
		return slices.ContainsFunc(s.runs, func(r *run) bool { return r.result.Runtime == string(testnet.VirtualTime) })
	})
}

// clock is said on every plot.
func (g *group) clock() string {
	if g.virtual() {
		return "virtual clock"
	}
	return "wall clock"
}

// classes are those of the task, sorted; there are none where a number is learned.
func (g *group) classes() []string {
	all := map[string]bool{}
	for _, s := range g.series {
		for _, r := range s.runs {
			for class := range r.result.Recall {
				all[class] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// traced are the runs of a series with event logs.
func (s *series) traced() []*run {
	return slices.DeleteFunc(slices.Clone(s.runs), func(r *run) bool { return r.trace == nil })
}

// curves are a figure of the average model against time, one for each run that has it.
func (s *series) curves(of func(point) float64) [][]sample {
	var all [][]sample
	for _, r := range s.traced() {
		var curve []sample
		for _, p := range r.trace.curve {
			if y := of(p); !math.IsNaN(y) && (len(curve) == 0 || curve[len(curve)-1].x < p.at) {
				curve = append(curve, sample{p.at, y})
			}
		}
		if len(curve) > 1 {
			all = append(all, curve)
		}
	}
	return all
}
