package report

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"github.com/starling-ml/starling/topology"
)

// figures makes the plots of a report and keeps their files.
type figures struct {
	recipes []string
	files   []File
}

// order is the place of a recipe among those of the report.
func (f *figures) order(recipe string) int { return slices.Index(f.recipes, recipe) }

// add keeps a plot and returns it for the page.
func (f *figures) add(name string, p *plot.Plot, s size) (*Figure, error) {
	svg, err := s.svg(p)
	if err != nil {
		return nil, fmt.Errorf("plot %s: %w", name, err)
	}
	png, err := s.png(p)
	if err != nil {
		return nil, fmt.Errorf("plot %s: %w", name, err)
	}
	f.files = append(f.files, File{"plots/" + name + ".svg", svg}, File{"plots/" + name + ".png", png})
	return &Figure{SVG: inline(svg, p.Title.Text), Link: "plots/" + name + ".png"}, nil
}

// curves plots a figure of the average model for every recipe that has it; nil: none has.
func (f *figures) curves(g *group, name string, l *lines, of func(point) float64) (*Figure, error) {
	l.x = "seconds, " + g.clock()
	for _, s := range g.series {
		if all := s.curves(of); len(all) > 0 {
			l.add(line{name: s.recipe, order: f.order(s.recipe), band: bandOf(all)})
		}
	}
	if len(l.curves) == 0 {
		return nil, nil
	}
	l.logarithmic = l.logarithmic && positive(l.curves)
	l.events = g.events()
	p, err := l.plot()
	if err != nil {
		return nil, err
	}
	return f.add(name, p, wide)
}

// add keeps a curve unless its runs have no time in common.
func (l *lines) add(c line) {
	if len(c.x) > 1 {
		l.curves = append(l.curves, c)
	}
}

// events are what the schedule did, as the first run with a log tells it.
func (g *group) events() []happening {
	for _, s := range g.series {
		for _, r := range s.traced() {
			return r.trace.events
		}
	}
	return nil
}

// staleness plots how stale estimates were when they were mixed.
func (f *figures) staleness(g *group, name string) (*Figure, error) {
	l := &lines{
		title: g.title + ": staleness (" + g.clock() + ")", x: "rounds behind the peer that mixes",
		y: "share of estimates",
	}
	if !g.exact() {
		l.x, l.y = "95th percentile of a window, in rounds behind the peer that mixes", "share of windows"
	}
	for _, s := range g.series {
		if values := s.staleness(g.exact()); len(values) > 0 {
			l.add(line{name: s.recipe, order: f.order(s.recipe), band: cumulative(values)})
		}
	}
	if len(l.curves) == 0 {
		return nil, nil
	}
	p, err := l.plot()
	if err != nil {
		return nil, err
	}
	p.Y.Min, p.Y.Max = 0, 1
	return f.add(name, p, wide)
}

// exact tells whether every run with logs has logged its mixes.
func (g *group) exact() bool {
	found := false
	for _, s := range g.series {
		for _, r := range s.traced() {
			if len(r.trace.exact()) == 0 {
				return false
			}
			found = true
		}
	}
	return found
}

// exact is the staleness of every estimate in every mix, in no order.
func (t *trace) exact() []float64 {
	var all []float64
	for _, p := range t.peers {
		all = append(all, p.exact...)
	}
	return all
}

// staleness is that of all estimates that were mixed, or the 95th percentile of all windows.
func (s *series) staleness(exact bool) []float64 {
	var all []float64
	for _, r := range s.traced() {
		if exact {
			all = append(all, r.trace.exact()...)
			continue
		}
		for _, p := range r.trace.peers {
			all = append(all, p.high...)
		}
	}
	slices.Sort(all) // peers come in any order
	return all
}

// cumulative is the share of sorted values that are not above each, as steps.
func cumulative(sorted []float64) band {
	b := band{x: []float64{sorted[0] - 1}, middle: []float64{0}}
	for i, v := range sorted {
		if i+1 < len(sorted) && sorted[i+1] == v {
			continue
		}
		before := b.middle[len(b.middle)-1]
		b.x = append(b.x, v, v)
		b.middle = append(b.middle, before, float64(i+1)/float64(len(sorted)))
	}
	b.x, b.middle = append(b.x, sorted[len(sorted)-1]+1), append(b.middle, 1)
	b.low, b.high = b.middle, b.middle
	return b
}

// waits is the time for which a peer, a row, waited until the message of another, a column, ended it: the
// mean over the seeds of a recipe.
func (s *series) waits() *matrix {
	return s.mean(func(p *peerTrace) map[string]float64 {
		if p.windows == 0 {
			return nil
		}
		return p.waited
	}, true)
}

// influence is the share of each member, a column, in the estimate of a peer, a row, at the end.
func (s *series) influence() *matrix {
	return s.mean(func(p *peerTrace) map[string]float64 { return p.influence }, false)
}

// mean is the mean over seeds of what peers noted about others; nil: none noted anything. others: who is
// not named is a 0, else nothing is known.
func (s *series) mean(of func(*peerTrace) map[string]float64, others bool) *matrix {
	var all []*matrix
	for _, r := range s.traced() {
		var names []string
		for _, p := range r.network.Peers {
			names = append(names, p.Name)
		}
		if len(all) > 0 && !slices.Equal(all[0].names, names) {
			continue
		}
		m := newMatrix(names)
		for row, name := range names {
			p := r.trace.peers[name]
			if p == nil || of(p) == nil {
				continue
			}
			for column, other := range names {
				if v, ok := of(p)[other]; ok || others {
					m.cells[row][column] = v
				}
			}
		}
		all = append(all, m)
	}
	if m := meanOf(all); m != nil && !m.empty() {
		return m
	}
	return nil
}

// topology draws the network of a group.
func (f *figures) topology(g *group, name string) (*Figure, error) {
	n := g.network()
	if n == nil {
		return nil, nil
	}
	graph := topology.New(len(n.Peers))
	for _, e := range n.Edges {
		if err := graph.Add(e[0], e[1], 1); err != nil {
			return nil, err
		}
	}
	var text bytes.Buffer
	if err := topology.DrawSVG(graph, &text); err != nil {
		return &Figure{Missing: "The topology is not drawn: " + err.Error() + "."}, nil //nolint:nilerr // the page says why
	}
	marked := strings.Replace(text.String(), "</svg>", `<text x="8" y="630" font-family="sans-serif" font-size="13" `+
		`fill="#555">`+html.EscapeString(g.clock())+"</text>\n</svg>", 1)
	f.files = append(f.files, File{"plots/" + name + ".svg", []byte(marked)})
	return &Figure{SVG: inline([]byte(marked), g.title+": topology"), Link: "plots/" + name + ".svg"}, nil
}

// positive tells whether all values of some curves are above 0.
func positive(curves []line) bool {
	for _, c := range curves {
		for _, v := range c.low {
			if v <= 0 || math.IsInf(v, 0) {
				return false
			}
		}
	}
	return true
}
