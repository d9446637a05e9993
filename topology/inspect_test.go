package topology_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/topology"
)

func TestReportInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec topology.Spec
		want string
	}{
		{topology.Spec{Graph: "exponential", N: 16}, `
16 peers, 56 edges, degree 7, diameter 2, connected, no bridge
mixing  spectral gap 0.50 (ring-16 0.05, full 1.00)   smallest eigenvalue -0.27`},
		{topology.Spec{Graph: "star", N: 9}, `
9 peers, 8 edges, degree 1 to 8, mean 1.8, diameter 2, connected, 8 bridges
mixing  spectral gap 0.11 (ring-9 0.16, full 1.00)   smallest eigenvalue 0.00
warning peer 0 is a hub with 8 of 8 edges: the run is as fast as it, and ends with it; use exponential`},
		{topology.Spec{Graph: "edges", N: 5, Edges: [][]float64{{0, 1}, {1, 2}, {0, 2}, {3, 4}}}, `
5 peers, 4 edges, degree 1 to 2, mean 1.6, 2 components, 1 bridge
mixing  spectral gap 0.00 (ring-5 0.46, full 1.00)   smallest eigenvalue 0.00
warning disconnected: its 2 components never agree; join them with add_edges
warning losing one of the edges 3-4 splits the network; add_edges can close a cycle`},
		{topology.Spec{Graph: "ring", N: 60}, `
60 peers, 60 edges, degree 2, diameter 30, connected, no bridge
mixing  spectral gap 0.0037 (ring-60 0.0037, full 1.00)   smallest eigenvalue -0.33
warning spectral gap 0.0037: averaging takes about 274 rounds; add edges or use exponential
warning smallest eigenvalue -0.33 is not above -1/3: bias correction by D2 would diverge`},
		{topology.Spec{Graph: "ring", N: 1}, `
1 peers, 0 edges, degree 0, diameter 0, connected, no bridge
mixing  spectral gap 1.00 (ring-1 1.00, full 1.00)   smallest eigenvalue 0.00`},
		{topology.Spec{Graph: "ring", N: 2}, `
2 peers, 1 edges, degree 1, diameter 1, connected, 1 bridge
mixing  spectral gap 1.00 (ring-2 1.00, full 1.00)   smallest eigenvalue 0.00`},
	} {
		got := topology.Inspect(generate(t, c.spec)).String()
		if want := strings.TrimPrefix(c.want, "\n"); got != want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.spec, got, want)
		}
	}
}

// TestReportOfALargeGraphSaysWhatItDoesNotKnow instead of taking minutes.
func TestReportOfALargeGraphSaysWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	r := topology.Inspect(generate(t, topology.Spec{Graph: "ring", N: 8_500}))
	if r.SpectrumKnown || r.Diameter != -1 || !r.Connected {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.String(), "spectrum not computed") || strings.Contains(r.String(), "diameter") {
		t.Error(r.String())
	}
}

// TestReportAgreesWithPlainCounting on any graph.
func TestReportAgreesWithPlainCounting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 16)
		r := topology.Inspect(g)
		if r.Peers != g.N() || r.Edges != len(g.Edges()) || r.Components != len(g.Components()) {
			t.Fatalf("%+v of %s", r, edges(g))
		}
		if want := floydDiameter(g); r.Diameter != want {
			t.Fatalf("diameter %d of %s, want %d", r.Diameter, edges(g), want)
		}
		if r.DegreeMean < float64(r.DegreeMin) || r.DegreeMean > float64(r.DegreeMax) {
			t.Fatalf("mean degree outside its range: %+v", r)
		}
		if connected := r.SpectralGap > 1e-9; connected != r.Connected {
			t.Fatalf("spectral gap %v of a graph with %d components", r.SpectralGap, r.Components)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	})
}

// floydDiameter is the longest shortest path by Floyd and Warshall, -1 if there are none.
func floydDiameter(g *topology.Graph) int {
	n := g.N()
	d := make([][]float64, n)
	for u := range d {
		d[u] = make([]float64, n)
		for v := range d[u] {
			d[u][v] = math.Inf(1)
			if g.Has(u, v) {
				d[u][v] = 1
			}
		}
		d[u][u] = 0
	}
	longest := 0.0
	for k := range d {
		for u := range d {
			for v := range d {
				d[u][v] = min(d[u][v], d[u][k]+d[k][v])
			}
		}
	}
	for u := range d {
		for v := range d {
			longest = max(longest, d[u][v])
		}
	}
	if math.IsInf(longest, 1) {
		return -1
	}
	return int(longest)
}
