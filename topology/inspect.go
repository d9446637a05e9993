package topology

import (
	"fmt"
	"strings"
)

// Report is what one wants to know of a graph before a run.
type Report struct {
	Peers      int      `json:"peers"`
	Edges      int      `json:"edges"`
	DegreeMin  int      `json:"degree_min"`
	DegreeMax  int      `json:"degree_max"`
	DegreeMean float64  `json:"degree_mean"`
	Connected  bool     `json:"connected"`
	Components int      `json:"components"`
	Diameter   int      `json:"diameter"` // edges on the longest shortest path; -1: disconnected, or too large to tell
	Bridges    [][2]int `json:"bridges"`  // edges whose loss splits the graph

	// The eigenvalues are those of the Metropolis weights. The gap is 1 - max(second, -smallest): the
	// distance to the mean shrinks by 1 - gap with every round. All are 0 if SpectrumKnown is false,
	// which happens only to large graphs that mix very slowly.
	SpectrumKnown      bool    `json:"spectrum_known"`
	SpectralGap        float64 `json:"spectral_gap"`
	SecondEigenvalue   float64 `json:"second_eigenvalue"`
	SmallestEigenvalue float64 `json:"smallest_eigenvalue"`

	Warnings []string `json:"warnings"` // most serious first
}

// maxDiameterWork bounds the edges that are walked to find a diameter: about a second.
const maxDiameterWork = 200_000_000

// Inspect examines g.
func Inspect(g *Graph) Report {
	r := Report{Peers: g.N(), DegreeMin: g.N(), Components: len(g.Components()), Bridges: [][2]int{}}
	for v := range g.N() {
		r.Edges += g.Degree(v)
		r.DegreeMin = min(r.DegreeMin, g.Degree(v))
		r.DegreeMax = max(r.DegreeMax, g.Degree(v))
	}
	r.Edges /= 2
	r.DegreeMean = 2 * float64(r.Edges) / float64(max(1, r.Peers))
	r.Connected = r.Components <= 1
	r.Diameter = g.diameter(r.Connected, r.Edges)
	for _, b := range g.Bridges() {
		r.Bridges = append(r.Bridges, [2]int{b.U, b.V})
	}
	if s, ok := spectrum(Metropolis(g)); ok {
		r.SpectrumKnown = true
		r.SecondEigenvalue, r.SmallestEigenvalue = snap(s.second), snap(s.smallest)
		r.SpectralGap = snap(1 - max(r.SecondEigenvalue, -r.SmallestEigenvalue))
	}
	r.Warnings = r.warn(g)
	return r
}

// diameter walks from every vertex, or gives up on a graph that is too large for it.
func (g *Graph) diameter(connected bool, edges int) int {
	if !connected || g.N()*(g.N()+2*edges) > maxDiameterWork {
		return -1
	}
	longest := 0
	for start := range g.N() {
		hops := unreached(g.N())
		reached := g.walk(start, hops)
		longest = max(longest, hops[reached[len(reached)-1]])
	}
	return longest
}

// String returns the report in a few lines, as `topology check` prints it.
func (r Report) String() string {
	degree := fmt.Sprint(r.DegreeMin)
	if r.DegreeMin != r.DegreeMax {
		degree = fmt.Sprintf("%d to %d, mean %.1f", r.DegreeMin, r.DegreeMax, r.DegreeMean)
	}
	facts := []string{fmt.Sprintf("%d peers, %d edges, degree %s", r.Peers, r.Edges, degree)}
	if r.Diameter >= 0 {
		facts = append(facts, fmt.Sprintf("diameter %d", r.Diameter))
	}
	if r.Connected {
		facts = append(facts, "connected")
	} else {
		facts = append(facts, fmt.Sprintf("%d components", r.Components))
	}
	facts = append(facts, count(len(r.Bridges), "bridge"))
	lines := []string{strings.Join(facts, ", "), "mixing  spectrum not computed: the graph is large and mixes slowly"}
	if r.SpectrumKnown {
		lines[1] = fmt.Sprintf("mixing  spectral gap %s (ring-%d %s, full 1.00)   smallest eigenvalue %.2f",
			gap(r.SpectralGap), r.Peers, gap(ringGap(r.Peers)), r.SmallestEigenvalue)
	}
	for _, w := range r.Warnings {
		lines = append(lines, "warning "+w)
	}
	return strings.Join(lines, "\n")
}

// gap prints two digits that say something.
func gap(g float64) string {
	if g >= tinyGap || g == 0 {
		return fmt.Sprintf("%.2f", g)
	}
	return fmt.Sprintf("%.2g", g)
}

func count(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "1 " + what
	default:
		return fmt.Sprintf("%d %ss", n, what)
	}
}
