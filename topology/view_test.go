package topology

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/topo"
)

// sample is a graph with a triangle, a tail and a lone peer.
func sample(t *testing.T) *Graph {
	t.Helper()
	g, err := fromEdges(6, []Edge{{0, 1, 1}, {1, 2, 2}, {2, 0, 1}, {4, 2, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func ids(nodes graph.Nodes) []int64 {
	var list []int64
	for nodes.Next() {
		list = append(list, nodes.Node().ID())
	}
	return list
}

func TestViewShowsTheGraphInOrder(t *testing.T) {
	t.Parallel()
	v := view{sample(t)}
	if got := ids(v.Nodes()); !slices.Equal(got, []int64{0, 1, 2, 3, 4, 5}) {
		t.Errorf("nodes %v", got)
	}
	for id, want := range map[int64][]int64{0: {1, 2}, 2: {0, 1, 4}, 3: nil, 9: nil, -1: nil} {
		if got := ids(v.From(id)); !slices.Equal(got, want) {
			t.Errorf("neighbours of %d are %v, want %v", id, got, want)
		}
	}
}

func TestViewAnswersForWhatIsNotThere(t *testing.T) {
	t.Parallel()
	v := view{sample(t)}
	if v.Node(6) != nil || v.Node(-1) != nil || v.Node(5) == nil {
		t.Error("nodes are 0 to 5")
	}
	if v.Edge(0, 3) != nil || v.EdgeBetween(0, 99) != nil || v.HasEdgeBetween(-1, 0) {
		t.Error("an edge that is not there is shown")
	}
}

func TestViewShowsEdgesFromBothEnds(t *testing.T) {
	t.Parallel()
	v := view{sample(t)}
	e, ok := v.Edge(2, 1).(link)
	if !ok || e.From().ID() != 2 || e.To().ID() != 1 || e.weight != 2 {
		t.Fatalf("edge 2-1 is %+v", e)
	}
	if r := e.ReversedEdge(); r.From().ID() != 1 || r.To().ID() != 2 {
		t.Errorf("its reverse is %+v", r)
	}
	if got := e.Attributes(); len(got) != 1 || got[0].Key != "weight" || got[0].Value != "2" {
		t.Errorf("attributes %v", got)
	}
	if got := (link{0, 1, 1}).Attributes(); got != nil {
		t.Errorf("a weight of one is written: %v", got)
	}
}

// TestGonumAgrees: the searches of gonum, which know nothing of ours, run on the view and find the same.
func TestGonumAgrees(t *testing.T) {
	t.Parallel()
	for _, kind := range Kinds() {
		g, err := Generate(Spec{Graph: kind, N: 21, Seed: 9})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(topo.ConnectedComponents(view{g})); got != 1 {
			t.Errorf("%s: gonum finds %d components", kind, got)
		}
		shortest := path.DijkstraAllPaths(view{g})
		longest := 0.0
		for u := range g.N() {
			for v := range g.N() {
				longest = max(longest, shortest.Weight(int64(u), int64(v)))
			}
		}
		if got := g.diameter(true, len(g.Edges())); got != int(longest) {
			t.Errorf("%s: diameter %d, gonum finds %v", kind, got, longest)
		}
	}
	if got := len(topo.ConnectedComponents(view{sample(t)})); got != len(sample(t).Components()) {
		t.Errorf("gonum finds %d components", got)
	}
}

func TestPlaceOfOneAndOfUnconnectedPeers(t *testing.T) {
	t.Parallel()
	for _, g := range []*Graph{New(1), New(2), New(5), sample(t)} {
		for i, p := range place(g) {
			if from := max(math.Abs(p.X-canvas/2), math.Abs(p.Y-canvas/2)); !(from <= canvas/2-margin+1e-9) {
				t.Errorf("peer %d of %d is placed at %v", i, g.N(), p)
			}
		}
	}
}
