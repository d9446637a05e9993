package topology_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/starling-ml/starling/topology"
)

// graphOf makes a graph of a list of edges.
func graphOf(t *testing.T, n int, pairs ...[2]int) *topology.Graph {
	t.Helper()
	g := topology.New(n)
	for _, p := range pairs {
		mustAdd(t, g, p[0], p[1])
	}
	return g
}

// without returns g less one edge.
func without(g *topology.Graph, gone topology.Edge) *topology.Graph {
	kept := topology.New(g.N())
	for _, e := range g.Edges() {
		if e != gone {
			_ = kept.Add(e.U, e.V, e.Weight)
		}
	}
	return kept
}

func TestComponentsByExample(t *testing.T) {
	t.Parallel()
	g := graphOf(t, 6, [2]int{4, 0}, [2]int{0, 2}, [2]int{5, 3})
	if diff := cmp.Diff([][]int{{0, 2, 4}, {1}, {3, 5}}, g.Components()); diff != "" {
		t.Error(diff)
	}
	if g.Connected() {
		t.Error("three components are called connected")
	}
}

// TestComponentsPartitionThePeers: an edge never leads out of a component, and a component of more
// than one peer splits for some cut of its edges only if they are removed; the twin is a closure.
func TestComponentsPartitionThePeers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 20)
		of := make([]int, g.N())
		total := 0
		for c, members := range g.Components() {
			total += len(members)
			for _, v := range members {
				of[v] = c
			}
		}
		reach := closure(g)
		for u := range g.N() {
			for v := range g.N() {
				if reach[u][v] != (of[u] == of[v]) {
					t.Fatalf("%d and %d: reachable %v, components %d and %d", u, v, reach[u][v], of[u], of[v])
				}
			}
		}
		if total != g.N() {
			t.Fatalf("components hold %d of %d peers", total, g.N())
		}
	})
}

// closure is Warshall's algorithm: who reaches whom.
func closure(g *topology.Graph) [][]bool {
	reach := make([][]bool, g.N())
	for u := range reach {
		reach[u] = make([]bool, g.N())
		reach[u][u] = true
		for _, v := range g.Neighbours(u) {
			reach[u][v] = true
		}
	}
	for k := range reach {
		for u := range reach {
			for v := range reach {
				reach[u][v] = reach[u][v] || reach[u][k] && reach[k][v]
			}
		}
	}
	return reach
}

// TestBridgesAreWhatTheyAreCalled removes every edge in turn.
func TestBridgesAreWhatTheyAreCalled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 20)
		var want []topology.Edge
		for _, e := range g.Edges() {
			if len(without(g, e).Components()) > len(g.Components()) {
				want = append(want, e)
			}
		}
		if diff := cmp.Diff(want, g.Bridges()); diff != "" {
			t.Fatalf("edges %s: bridges (-want +got)\n%s", edges(g), diff)
		}
	})
}

// TestBridgesOfALongPath would overflow a recursive search.
func TestBridgesOfALongPath(t *testing.T) {
	t.Parallel()
	const n = 300_000
	g := topology.New(n)
	for v := 1; v < n; v++ {
		mustAdd(t, g, v-1, v)
	}
	if got := len(g.Bridges()); got != n-1 {
		t.Errorf("%d bridges, want %d", got, n-1)
	}
}

func TestSpanningTreeConnectsWithoutACycle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 20)
		slow := rapid.SliceOfN(rapid.Bool(), g.N(), g.N()).Draw(t, "slow")
		tree := topology.SpanningTree(g, func(v int) bool { return slow[v] })
		only := topology.New(g.N())
		for _, e := range tree {
			if !g.Has(e.U, e.V) {
				t.Fatalf("%d-%d is not an edge", e.U, e.V)
			}
			mustAdd(t, only, e.U, e.V)
		}
		if diff := cmp.Diff(g.Components(), only.Components()); diff != "" {
			t.Fatalf("the tree connects other peers: %s", diff)
		}
		if len(tree) != g.N()-len(g.Components()) {
			t.Fatalf("%d edges for %d peers in %d parts", len(tree), g.N(), len(g.Components()))
		}
		again := topology.SpanningTree(g, func(v int) bool { return slow[v] })
		if diff := cmp.Diff(tree, again); diff != "" {
			t.Fatalf("a second tree differs: %s", diff)
		}
	})
}

// TestSpanningTreeMakesLeavesOfThoseAsked whenever the others are connected without them and each of
// them has a neighbour among the others.
func TestSpanningTreeMakesLeavesOfThoseAsked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 20).Draw(t, "n")
		g, err := topology.Generate(topology.Spec{Graph: "exponential", N: n})
		if err != nil {
			t.Fatal(err)
		}
		slow := rapid.IntRange(0, n-1).Draw(t, "slow")
		degree := 0
		for _, e := range topology.SpanningTree(g, func(v int) bool { return v == slow }) {
			if e.U == slow || e.V == slow {
				degree++
			}
		}
		if degree != 1 {
			t.Fatalf("peer %d of %d has %d edges in the tree, want 1", slow, n, degree)
		}
	})
}

// TestSpanningTreeGoesThroughALeafThatIsACut: there is no other way.
func TestSpanningTreeGoesThroughALeafThatIsACut(t *testing.T) {
	t.Parallel()
	path := graphOf(t, 3, [2]int{0, 1}, [2]int{1, 2})
	if got := list(topology.SpanningTree(path, func(v int) bool { return v == 1 })); got != "0-1 1-2" {
		t.Errorf("tree %s", got)
	}
}
