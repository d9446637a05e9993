package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// group makes what the page shows of a group.
func (f *figures) group(g *group, number int) (*GroupView, error) {
	name := fmt.Sprintf("%02d-%s", number, slug(g.title))
	v := &GroupView{
		ID: fmt.Sprintf("network-%d", number), Title: g.title, Description: g.description(), Virtual: g.virtual(),
		Figures: g.tables(),
	}
	if err := f.evaluations(v, g, name); err != nil {
		return nil, err
	}
	if err := f.pairs(v, g, name); err != nil {
		return nil, err
	}
	stale, err := f.staleness(g, name+"-staleness")
	if err != nil {
		return nil, err
	}
	v.keep(&v.Others, stale, "Staleness is not shown: no run logged windows or mixes (output.events: window or step).")
	if stale != nil && !g.exact() {
		v.Missing = append(v.Missing, "Staleness is known by windows of about a second alone; output.events: step logs "+
			"that of every estimate.")
	}
	drawn, err := f.topology(g, name+"-topology")
	if err != nil {
		return nil, err
	}
	v.keep(&v.Others, drawn, "The topology is not drawn: no run left a network.json.")
	v.Missing = append(v.Missing, g.missing()...)
	return v, nil
}

// keep puts a figure into its place, or the reason why there is none.
func (v *GroupView) keep(place *[]Figure, one *Figure, missing string) {
	switch {
	case one == nil:
		v.Missing = append(v.Missing, missing)
	case one.Missing != "":
		v.Missing = append(v.Missing, one.Missing)
	default:
		*place = append(*place, *one)
	}
}

// evaluations plots how good the average model was.
func (f *figures) evaluations(v *GroupView, g *group, name string) error {
	n := g.network()
	loss := &lines{
		title: g.title + ": loss (" + g.clock() + ")", y: "loss of the average model", top: true, logarithmic: true,
	}
	accuracy := &lines{title: g.title + ": accuracy (" + g.clock() + ")", y: "accuracy of the average model"}
	if n != nil && n.Metric == "loss" {
		loss.reference = n.Target
	}
	if n != nil && n.Metric == "accuracy" {
		accuracy.reference = n.Target
	}
	one, err := f.curves(g, name+"-loss", loss, func(p point) float64 { return p.loss })
	if err != nil {
		return err
	}
	v.keep(&v.Curves, one, "Loss against time is not shown: no run left an event log with evaluations "+
		"(output.events is none, or its files were removed).")
	if len(g.classes()) == 0 {
		return nil // a number is learned
	}
	if one, err = f.curves(g, name+"-accuracy", accuracy, func(p point) float64 { return p.accuracy }); err != nil {
		return err
	}
	v.keep(&v.Curves, one, "Accuracy against time is not shown, for the same reason.")
	return nil
}

// pairs draws what peers did to each other.
func (f *figures) pairs(v *GroupView, g *group, name string) error {
	for _, s := range g.series {
		for _, one := range []struct {
			matrix *matrix
			kind   string
			title  string
			row    string
			column string
			place  *[]Figure
		}{
			{s.influence(), "influence", "influence", "in the estimate of", "share of", &v.Influence},
			{s.waits(), "waits", "waiting, s", "who waited", "for whom", &v.Waits},
		} {
			if one.matrix == nil {
				v.Missing = append(v.Missing, fmt.Sprintf("%s: %s between peers is not shown: no window with a mix was "+
					"logged.", s.recipe, strings.TrimSuffix(one.title, ", s")))
				continue
			}
			p, err := one.matrix.draw(fmt.Sprintf("%s: %s (%s)", s.recipe, one.title, g.clock()), one.column, one.row)
			if err != nil {
				v.Missing = append(v.Missing, fmt.Sprintf("%s: %s is not drawn: %v.", s.recipe, one.title, err))
				continue
			}
			drawn, err := f.add(fmt.Sprintf("%s-%s-%s", name, one.kind, slug(s.recipe)), p, square)
			if err != nil {
				return err
			}
			*one.place = append(*one.place, *drawn)
		}
	}
	return nil
}

// description says in a line what ran.
func (g *group) description() string {
	clock := "on the wall clock"
	if g.virtual() {
		clock = "on the virtual clock"
	}
	n := g.network()
	if n == nil {
		return fmt.Sprintf("%s, %s.", counted(g.series[0].runs[0].result.Peers, "peer"), clock)
	}
	text := fmt.Sprintf("%s, topology %s with %s, %s.", counted(len(n.Peers), "peer"), n.Graph,
		counted(len(n.Edges), "edge"), clock)
	var slow, late []string
	for _, p := range n.Peers {
		if p.Slow {
			slow = append(slow, fmt.Sprintf("%s (%s a step)", p.Name, seconds(p.Step)))
		}
		if p.Late {
			late = append(late, p.Name)
		}
	}
	if len(slow) > 0 {
		text += " Slow: " + some(slow) + "."
	}
	if len(late) > 0 {
		text += " Joining later: " + some(late) + "."
	}
	return text
}

// some names at most eight.
func some(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// missing says which runs of the group have no logs, and which are not to be trusted.
func (g *group) missing() []string {
	var without, overloaded []string
	for _, s := range g.series {
		bare := len(s.runs) - len(s.traced())
		if bare > 0 && bare < len(s.runs) {
			without = append(without, fmt.Sprintf("%s: %d of %d runs have no event log; curves are those of the others.",
				s.recipe, bare, len(s.runs)))
		} else if bare > 0 {
			without = append(without, s.recipe+": no run has an event log.")
		}
		for _, r := range s.runs {
			if r.result.Overloaded {
				overloaded = append(overloaded, fmt.Sprintf("%s, seed %d: overloaded. The machine could not keep the pace "+
					"that was asked for; its times are not to be trusted.", s.recipe, r.result.Seed))
			}
		}
	}
	if n := g.network(); n == nil && len(without) == len(g.series) {
		without = []string{"No run has an event log (output.events was none, or the files were removed): what follows " +
			"from events is not shown."}
	}
	return slices.Concat(without, overloaded)
}

// seconds is a time for people.
func seconds(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "not reached"
	case v != 0 && v < 1:
		return fmt.Sprintf("%.3g ms", 1000*v)
	case v < 100:
		return fmt.Sprintf("%.3g s", v)
	default:
		return fmt.Sprintf("%.0f s", v)
	}
}
