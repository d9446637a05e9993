package topology_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/starling-ml/starling/topology"
)

// drawGraph draws any simple graph of up to most peers, connected or not.
func drawGraph(t *rapid.T, most int) *topology.Graph {
	g := topology.New(rapid.IntRange(1, most).Draw(t, "n"))
	if g.N() == 1 {
		return g
	}
	peer := rapid.IntRange(0, g.N()-1)
	for range rapid.IntRange(0, 2*g.N()).Draw(t, "edges") {
		if u, v := peer.Draw(t, "u"), peer.Draw(t, "v"); u != v {
			mustAdd(t, g, u, v)
		}
	}
	return g
}

func mustAdd(t interface{ Fatal(...any) }, g *topology.Graph, u, v int) {
	if err := g.Add(u, v, 1); err != nil {
		t.Fatal(err)
	}
}

func generate(t *testing.T, s topology.Spec) *topology.Graph {
	t.Helper()
	g, err := topology.Generate(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// edges prints the edges of g as "0-1 1-2".
func edges(g *topology.Graph) string { return list(g.Edges()) }

func list(edges []topology.Edge) string {
	var words []string
	for _, e := range edges {
		words = append(words, fmt.Sprintf("%d-%d", e.U, e.V))
	}
	return strings.Join(words, " ")
}

// checkInvariant checks what the comment of Graph promises.
func checkInvariant(t interface{ Fatalf(string, ...any) }, g *topology.Graph) {
	for u := range g.N() {
		last := -1
		for _, v := range g.Neighbours(u) {
			if v <= last || v >= g.N() || v == u {
				t.Fatalf("neighbours of %d of %d are %v", u, g.N(), g.Neighbours(u))
			}
			if !g.Has(v, u) {
				t.Fatalf("%d-%d has no reverse", u, v)
			}
			last = v
		}
	}
}

func TestGraphHoldsWhatIsAdded(t *testing.T) {
	t.Parallel()
	g := topology.New(4)
	for _, e := range [][2]int{{2, 1}, {0, 3}, {1, 2}, {0, 1}} {
		mustAdd(t, g, e[0], e[1])
	}
	checkInvariant(t, g)
	if got, want := edges(g), "0-1 0-3 1-2"; got != want {
		t.Errorf("edges %s, want %s", got, want)
	}
	if !g.Has(3, 0) || g.Has(2, 3) || g.Degree(1) != 2 {
		t.Error("adjacency is wrong")
	}
}

func TestAddingAgainReplacesTheWeight(t *testing.T) {
	t.Parallel()
	g := topology.New(2)
	for _, weight := range []float64{1, 2.5, 1, 0.5} {
		if err := g.Add(1, 0, weight); err != nil {
			t.Fatal(err)
		}
		want := []topology.Edge{{U: 0, V: 1, Weight: weight}}
		if diff := cmp.Diff(want, g.Edges()); diff != "" {
			t.Errorf("weight %v: %s", weight, diff)
		}
	}
}

func TestAddRefusesWhatIsNoEdge(t *testing.T) {
	t.Parallel()
	g := topology.New(3)
	for edge, want := range map[[2]int]string{
		{0, 3}:  "edge 0-3: vertices are 0 to 2",
		{-1, 0}: "edge -1-0: vertices are 0 to 2",
		{1, 1}:  "edge 1-1: a peer is not its own neighbour",
	} {
		if err := g.Add(edge[0], edge[1], 1); err == nil || err.Error() != want {
			t.Errorf("edge %v: error %v, want %q", edge, err, want)
		}
	}
	if len(g.Edges()) != 0 {
		t.Error("a refused edge is in the graph")
	}
}
