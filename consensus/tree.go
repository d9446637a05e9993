package consensus

import (
	"slices"

	"github.com/starling-ml/starling/topology"
)

// edge joins two members by their vertices, u < v.
type edge struct{ u, v int }

func between(a, b int) edge { return edge{min(a, b), max(a, b)} }

// tree is a spanning tree of the members that this peer can reach, computed by everybody alike from
// what everybody knows: the graph, who is known to be slow (a leaf), who is gone.
type tree struct {
	edges []edge // sorted
}

// plant computes the tree over the members of the current list that this peer can reach.
func (t *tree) plant(m *Machine, reached []bool) {
	t.edges = nil
	if _, member := m.view.vertex[m.config.Self]; !member {
		return
	}
	g := m.view.graph
	if slices.Contains(reached, false) {
		g = within(g, reached)
	}
	slow := m.view.slow
	for _, e := range topology.SpanningTree(g, func(v int) bool { return slow[v] }) {
		t.edges = append(t.edges, edge{e.U, e.V})
	}
}

// within returns the graph without the edges that leave a part of it.
func within(g *topology.Graph, in []bool) *topology.Graph {
	left := topology.New(g.N())
	for _, e := range g.Edges() {
		if in[e.U] && in[e.V] {
			if err := left.Add(e.U, e.V, 1); err != nil {
				panic(err) // the edge came from a graph of this size
			}
		}
	}
	return left
}

// find returns the index of an edge.
func (t *tree) find(e edge) (int, bool) { return slices.BinarySearchFunc(t.edges, e, compareEdges) }

func compareEdges(a, b edge) int {
	if a.u != b.u {
		return a.u - b.u
	}
	return a.v - b.v
}
