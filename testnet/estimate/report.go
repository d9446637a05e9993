package estimate

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/vec"
)

// Version is the version of the format of a Report in JSON.
const Version = 1

// Report is what is expected of every recipe and case of a manifest.
type Report struct {
	V    int      `json:"v"`
	Name string   `json:"name"`
	Runs []Growth `json:"runs"`
}

// Growth is how one run of a manifest grows with the number of its peers.
type Growth struct {
	Recipe   string            `json:"recipe"`
	Sweep    map[string]string `json:"sweep,omitempty"`
	Topology string            `json:"topology"`
	// Refused says why there is no estimate; empty: there is one.
	Refused string `json:"refused,omitempty"`
	// Rows are by the number of peers, that of the manifest among them.
	Rows []Figures `json:"rows,omitempty"`
	// Omitted are numbers of peers that the manifest does not suit, and why.
	Omitted []Omission `json:"omitted,omitempty"`
	// Words are sentences for people: where communication dominates, and what would help.
	Words []string `json:"words,omitempty"`

	own int // the place of the manifest's size in Rows
	// leaner is the size of a message with codec int8 as a share of what it is; 0: the recipe takes no codec.
	leaner float64
}

// Omission is a number of peers that is left out.
type Omission struct {
	Peers int    `json:"peers"`
	Why   string `json:"why"`
}

// Grow estimates every recipe and case of a manifest with its own number of peers and with 4, 8, 16 ... up to
// most. A recipe that is not covered is told in its Growth; it is an error when none is.
func Grow(l *testnet.Loaded, most int) (*Report, error) {
	if most < 2 || most > MaxPeers {
		return nil, fmt.Errorf("--peers %d: give 2 to %d", most, MaxPeers)
	}
	if !l.Document.Has("peers.defaults.compute.step") {
		return nil, errors.New("peers.defaults.compute.step is not given: an estimate needs to know how long a local " +
			"step takes; measure one and write it in the manifest, or give --set peers.defaults.compute.step=40ms")
	}
	report := &Report{V: Version, Name: l.Name}
	plans, err := chosen(l)
	if err != nil {
		return nil, err
	}
	refused := 0
	for _, plan := range plans {
		g := Growth{Recipe: plan.Recipe, Sweep: plan.Sweep, Topology: plan.Kind}
		if err := Coverable(plan); err != nil {
			g.Refused = err.Error()
			refused++
		}
		report.Runs = append(report.Runs, g)
	}
	if refused == len(plans) {
		return nil, errors.New(report.Runs[0].Refused)
	}
	for _, size := range sizes(l.Peers.Count, most) {
		if err := report.add(l, plans, size); err != nil {
			return nil, err
		}
	}
	for i := range report.Runs {
		report.Runs[i].speak(plans[i])
	}
	return report, nil
}

// chosen are the plans of a manifest, one for each combination: all seeds are expected to be alike.
func chosen(l *testnet.Loaded) ([]*testnet.Plan, error) {
	plans, err := l.Plans()
	if err != nil {
		return nil, err
	}
	var some []*testnet.Plan
	for _, p := range plans {
		last := len(some) - 1
		if last < 0 || some[last].Recipe != p.Recipe || !maps.Equal(some[last].Sweep, p.Sweep) {
			some = append(some, p)
		}
	}
	return some, nil
}

// sizes are the numbers of peers of a report.
func sizes(own, most int) []int {
	all := []int{own}
	for n := 4; n <= most; n *= 2 {
		all = append(all, n)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// add estimates all runs with another number of peers.
func (r *Report) add(l *testnet.Loaded, own []*testnet.Plan, size int) error {
	plans := own
	if size != l.Peers.Count {
		resized, err := l.WithPeers(size)
		if err == nil {
			plans, err = chosen(resized)
		}
		if err != nil {
			for i := range r.Runs {
				r.Runs[i].omit(size, err)
			}
			return nil
		}
	}
	for i, plan := range plans {
		g := &r.Runs[i]
		if g.Refused != "" {
			continue
		}
		figures, err := Of(plan)
		switch {
		case err == nil && size == l.Peers.Count:
			g.own = len(g.Rows)
			g.Rows = append(g.Rows, figures)
		case err == nil:
			g.Rows = append(g.Rows, figures)
		case size == l.Peers.Count:
			return err
		default:
			g.omit(size, err)
		}
	}
	return nil
}

func (g *Growth) omit(size int, why error) {
	if g.Refused == "" {
		g.Omitted = append(g.Omitted, Omission{size, why.Error()})
	}
}

// speak says where communication dominates and what would help.
func (g *Growth) speak(plan *testnet.Plan) {
	if g.Refused != "" {
		return
	}
	g.leaner = leaner(plan)
	g.Words = append([]string{g.dominates()}, g.help(plan)...)
}

// leaner composes the run with codec int8 and returns how much smaller its messages are.
func leaner(plan *testnet.Plan) float64 {
	o := plan.Options
	if o.Codec.Kind != vec.Dense {
		return 0
	}
	o.Codec = vec.Codec{Kind: vec.Int8}
	composed, err := consensus.Compose(o, plan.Graph)
	if err != nil {
		return 0
	}
	lean := *plan
	lean.Options = composed.Options
	n, err := networkOf(&lean)
	dense, errDense := networkOf(plan)
	if err != nil || errDense != nil {
		return 0
	}
	return n.bytes / dense.bytes
}
