package topology_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/topology"
)

func TestSmallGraphsAreKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec topology.Spec
		want string
	}{
		{topology.Spec{Graph: "ring", N: 5}, "0-1 0-4 1-2 2-3 3-4"},
		{topology.Spec{Graph: "torus", N: 6}, "0-1 0-2 0-3 1-2 1-4 2-5 3-4 3-5 4-5"},
		{topology.Spec{Graph: "torus", N: 4}, "0-1 0-2 1-3 2-3"},
		{topology.Spec{Graph: "full", N: 4}, "0-1 0-2 0-3 1-2 1-3 2-3"},
		{topology.Spec{Graph: "star", N: 4}, "0-1 0-2 0-3"},
		{topology.Spec{Graph: "exponential", N: 6}, "0-1 0-2 0-4 0-5 1-2 1-3 1-5 2-3 2-4 3-4 3-5 4-5"},
		{topology.Spec{Graph: "circulant", N: 7, Degree: 2}, "0-1 0-6 1-2 2-3 3-4 4-5 5-6"},
		{topology.Spec{Graph: "clusters", N: 6, Clusters: 2}, "0-1 0-2 0-5 1-2 2-3 3-4 3-5 4-5"},
		{topology.Spec{Graph: "clusters", N: 7, Clusters: 3}, "0-1 0-6 1-2 2-3 3-4 4-5 4-6 5-6"},
		{topology.Spec{Graph: "clusters", N: 4, Clusters: 4}, "0-1 0-3 1-2 2-3"},
		{topology.Spec{Graph: "clusters", N: 3, Clusters: 1}, "0-1 0-2 1-2"},
		{topology.Spec{Graph: "ring", N: 4, AddEdges: [][]int{{2, 0}}}, "0-1 0-2 0-3 1-2 2-3"},
		{topology.Spec{Graph: "edges", Edges: [][]float64{{2, 1}, {0, 1, 3}}}, "0-1 1-2"},
		{topology.Spec{Graph: "edges", N: 5, Edges: [][]float64{{0, 4}}}, "0-4"},
	} {
		if got := edges(generate(t, c.spec)); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.spec, got, c.want)
		}
	}
}

func TestOneTwoAndThreePeers(t *testing.T) {
	t.Parallel()
	for _, kind := range topology.Kinds() {
		for n, want := range map[int]string{1: "", 2: "0-1", 3: "0-1 0-2 1-2"} {
			if kind == "star" && n == 3 {
				want = "0-1 0-2"
			}
			if got := edges(generate(t, topology.Spec{Graph: kind, N: n})); got != want {
				t.Errorf("%s of %d: %q, want %q", kind, n, got, want)
			}
		}
	}
}

// TestEveryGraphIsConnectedAndRepeatable draws specs; equal ones give equal graphs.
func TestEveryGraphIsConnectedAndRepeatable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := topology.Spec{
			Graph:  rapid.SampledFrom(topology.Kinds()).Draw(t, "kind"),
			N:      rapid.IntRange(1, 60).Draw(t, "n"),
			Degree: rapid.IntRange(0, 7).Draw(t, "degree"),
			Rewire: rapid.Float64Range(0, 1).Draw(t, "rewire"),
			Seed:   rapid.Uint64().Draw(t, "seed"),
		}
		g, err := topology.Generate(s)
		if err != nil {
			return // which specs are refused is tested by example
		}
		checkInvariant(t, g)
		if g.N() != s.N || !g.Connected() {
			t.Fatalf("%+v: %d peers, connected %v", s, g.N(), g.Connected())
		}
		again, err := topology.Generate(s)
		if err != nil || edges(again) != edges(g) {
			t.Fatalf("%+v: a second time %v, %v", s, edges(again), err)
		}
	})
}

func TestRandomRegularHasItsDegree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, degree int }{{2, 1}, {12, 2}, {12, 3}, {11, 4}, {50, 5}, {9, 8}, {100, 20}} {
		g := generate(t, topology.Spec{Graph: "random-regular", N: c.n, Degree: c.degree, Seed: 3})
		for v := range g.N() {
			if g.Degree(v) != c.degree {
				t.Errorf("%+v: peer %d has degree %d", c, v, g.Degree(v))
			}
		}
		if !g.Connected() {
			t.Errorf("%+v: not connected", c)
		}
	}
}

// TestRandomGraphsDependOnTheirSeed, and are not the lattice that they start from.
func TestRandomGraphsDependOnTheirSeed(t *testing.T) {
	t.Parallel()
	lattice := edges(generate(t, topology.Spec{Graph: "circulant", N: 40, Degree: 4}))
	for _, kind := range []string{"random-regular", "small-world"} {
		seen := map[string]bool{lattice: true}
		for seed := range uint64(5) {
			g := edges(generate(t, topology.Spec{Graph: kind, N: 40, Degree: 4, Rewire: 0.3, Seed: seed}))
			if seen[g] {
				t.Errorf("%s: seed %d repeats a graph", kind, seed)
			}
			seen[g] = true
		}
	}
}

// TestRandomRegularForgetsTheLattice: an expander has small distances, a lattice of 400 has diameter 100.
func TestRandomRegularForgetsTheLattice(t *testing.T) {
	t.Parallel()
	r := topology.Inspect(generate(t, topology.Spec{Graph: "random-regular", N: 400, Degree: 4, Seed: 1}))
	if r.Diameter > 12 || r.SpectralGap < 0.05 {
		t.Errorf("diameter %d, spectral gap %.3f", r.Diameter, r.SpectralGap)
	}
}

func TestSmallWorldKeepsTheNumberOfEdges(t *testing.T) {
	t.Parallel()
	for _, rewire := range []float64{0, 0.5, 1} {
		g := generate(t, topology.Spec{Graph: "small-world", N: 50, Degree: 6, Rewire: rewire, Seed: 2})
		if len(g.Edges()) != 150 {
			t.Errorf("rewire %v: %d edges, want 150", rewire, len(g.Edges()))
		}
	}
}

func TestTorusIsAsSquareAsPossible(t *testing.T) {
	t.Parallel()
	for n, diameter := range map[int]int{16: 4, 24: 5, 36: 6, 10: 3} {
		if got := topology.Inspect(generate(t, topology.Spec{Graph: "torus", N: n})).Diameter; got != diameter {
			t.Errorf("torus of %d has diameter %d, want %d", n, got, diameter)
		}
	}
}

func TestRefusedSpecsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec topology.Spec
		want string
	}{
		{topology.Spec{Graph: "rings", N: 4}, `graph "rings" is not one of ring, torus, full, star, exponential, ` +
			`circulant, random-regular, clusters, small-world, edges, file`},
		{topology.Spec{Graph: "ring"}, "graph ring of 0 peers: give 1 to 1000000 peers"},
		{topology.Spec{Graph: "ring", N: 1_000_001}, "graph ring of 1000001 peers: give 1 to 1000000 peers"},
		{topology.Spec{Graph: "torus", N: 13}, "13 is prime: use 12 or 14 peers, or graph ring"},
		{topology.Spec{Graph: "full", N: 100_000}, "at most 16777216 are allowed, choose a sparser graph"},
		{topology.Spec{Graph: "circulant", N: 9, Degree: 3}, "degree 3 of graph circulant is odd: use 2 or 4"},
		{topology.Spec{Graph: "small-world", N: 9, Degree: 5}, "degree 5 of graph small-world is odd: use 4 or 6"},
		{topology.Spec{Graph: "small-world", N: 9, Rewire: 1.5}, "rewire 1.5 is not a probability"},
		{topology.Spec{Graph: "random-regular", N: 4, Degree: 4}, "degree 4 needs at least 5 peers: there are 4"},
		{topology.Spec{Graph: "random-regular", N: 9, Degree: 3}, "degree 3 of 9 peers: one of the two must be even"},
		{topology.Spec{Graph: "random-regular", N: 8, Degree: 1}, "degree 1 joins 8 peers in pairs only"},
		{topology.Spec{Graph: "circulant", N: 9, Degree: -2}, "degree -2: give a positive number, or 0 for 4"},
		{topology.Spec{Graph: "clusters", N: 4, Clusters: 5}, "clusters 5 of 4 peers: give 1 to 4"},
		{topology.Spec{Graph: "clusters", N: 4, Clusters: -1}, "clusters -1 of 4 peers"},
		{topology.Spec{Graph: "file", File: "a.edges"}, `graph file: open "a.edges" and read it with topology.Read`},
		{topology.Spec{Graph: "edges"}, "graph edges needs a list of edges"},
		{topology.Spec{Graph: "edges", Edges: [][]float64{{1}}}, "edges[0]: [1]: give two peers and perhaps a weight"},
		{topology.Spec{Graph: "edges", Edges: [][]float64{{0, 1}, {0, 1.5}}}, "edges[1]: 1.5 is not a peer"},
		{topology.Spec{Graph: "edges", Edges: [][]float64{{0, 1e9}}}, "edges[0]: 1e+09 is not a peer"},
		{topology.Spec{Graph: "edges", N: 2, Edges: [][]float64{{0, 2}}}, "edge 0-2: vertices are 0 to 1"},
		{topology.Spec{Graph: "edges", Edges: [][]float64{{0, 1, -1}}}, "weight -1 is not a positive number"},
		{topology.Spec{Graph: "ring", N: 4, AddEdges: [][]int{{0, 2}, {1}}}, "add_edges[1] has 1 numbers"},
		{topology.Spec{Graph: "ring", N: 4, AddEdges: [][]int{{0, 4}}}, "add_edges[0]: edge 0-4: vertices are 0 to 3"},
	} {
		if _, err := topology.Generate(c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v:\n got %v\nwant %s", c.spec, err, c.want)
		}
	}
}

func TestKindsAreAllGenerated(t *testing.T) {
	t.Parallel()
	kinds := topology.Kinds()
	if len(kinds) != 9 || !slices.Contains(kinds, "exponential") {
		t.Errorf("kinds are %v", kinds)
	}
	for _, kind := range kinds {
		if n := generate(t, topology.Spec{Graph: kind, N: 30}).N(); n != 30 {
			t.Errorf("%s has %d peers", kind, n)
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, kind := range []string{"exponential", "random-regular", "small-world"} {
		b.Run(fmt.Sprintf("%s-5000", kind), func(b *testing.B) {
			for b.Loop() {
				if _, err := topology.Generate(topology.Spec{Graph: kind, N: 5000}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
