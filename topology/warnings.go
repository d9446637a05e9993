package topology

import (
	"fmt"
	"strings"
)

// tinyGap is the spectral gap below which averaging is slower than most training: a hundred rounds take
// the distance to the mean down by a factor e.
const tinyGap = 0.01

// warn lists what is likely to disappoint. The numbers of r are complete.
func (r Report) warn(g *Graph) []string {
	warnings := []string{}
	add := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	if !r.Connected {
		add("disconnected: its %d components never agree; join them with add_edges", r.Components)
	}
	if hub, ok := r.hub(g); ok {
		add("peer %d is a hub with %d of %d edges: the run is as fast as it, and ends with it; use exponential",
			hub, r.DegreeMax, r.Edges)
	} else if len(r.Bridges) > 0 && r.Peers > 2 {
		add("losing one of the edges %s splits the network; add_edges can close a cycle", r.firstBridges())
	}
	if r.SpectrumKnown && r.SpectralGap < tinyGap && r.Connected {
		add("spectral gap %.2g: averaging takes about %.0f rounds; add edges or use exponential",
			r.SpectralGap, 1/r.SpectralGap)
	}
	if r.SpectrumKnown && r.SmallestEigenvalue <= -1.0/3+1e-9 {
		add("smallest eigenvalue %.2f is not above -1/3: bias correction by D2 would diverge", r.SmallestEigenvalue)
	}
	return warnings
}

// hub finds a peer that most of the edges of a sparse graph lead to.
func (r Report) hub(g *Graph) (int, bool) {
	const smallest = 4 // three peers in a row are no star
	if r.Peers < smallest || 2*r.DegreeMax <= r.Edges {
		return 0, false
	}
	for v := range g.N() {
		if g.Degree(v) == r.DegreeMax {
			return v, true
		}
	}
	return 0, false
}

func (r Report) firstBridges() string {
	const most = 5
	var list []string
	for _, b := range r.Bridges[:min(most, len(r.Bridges))] {
		list = append(list, fmt.Sprintf("%d-%d", b[0], b[1]))
	}
	if more := len(r.Bridges) - most; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}
