package topology

import (
	"strconv"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/encoding"
	"gonum.org/v1/gonum/graph/iterator"
)

// view shows a Graph to the algorithms of gonum. Nodes and neighbours come in increasing order, so that
// what they compute does not depend on the order of a map.
type view struct{ g *Graph }

type vertex int64

// ID implements graph.Node.
func (v vertex) ID() int64 { return int64(v) }

// link is an edge as gonum sees it.
type link struct {
	u, v   int
	weight float64
}

// From implements graph.Edge.
func (l link) From() graph.Node { return vertex(l.u) }

// To implements graph.Edge.
func (l link) To() graph.Node { return vertex(l.v) }

// ReversedEdge implements graph.Edge.
func (l link) ReversedEdge() graph.Edge { return link{l.v, l.u, l.weight} }

// Attributes implements encoding.Attributer: a weight of 1 goes without saying.
func (l link) Attributes() []encoding.Attribute {
	if l.weight == 1 {
		return nil
	}
	return []encoding.Attribute{{Key: "weight", Value: strconv.FormatFloat(l.weight, 'g', -1, 64)}}
}

func (v view) has(id int64) bool { return 0 <= id && id < int64(v.g.N()) }

// Node implements graph.Graph.
func (v view) Node(id int64) graph.Node {
	if !v.has(id) {
		return nil
	}
	return vertex(id)
}

// Nodes implements graph.Graph.
func (v view) Nodes() graph.Nodes {
	nodes := make([]graph.Node, v.g.N())
	for i := range nodes {
		nodes[i] = vertex(i)
	}
	return iterator.NewOrderedNodes(nodes)
}

// From implements graph.Graph.
func (v view) From(id int64) graph.Nodes {
	if !v.has(id) || v.g.Degree(int(id)) == 0 {
		return graph.Empty
	}
	nodes := make([]graph.Node, v.g.Degree(int(id)))
	for i, u := range v.g.Neighbours(int(id)) {
		nodes[i] = vertex(u)
	}
	return iterator.NewOrderedNodes(nodes)
}

// HasEdgeBetween implements graph.Graph.
func (v view) HasEdgeBetween(x, y int64) bool {
	return v.has(x) && v.has(y) && v.g.Has(int(x), int(y))
}

// Edge implements graph.Graph.
func (v view) Edge(x, y int64) graph.Edge { return v.EdgeBetween(x, y) }

// EdgeBetween implements graph.Undirected.
func (v view) EdgeBetween(x, y int64) graph.Edge {
	if !v.HasEdgeBetween(x, y) {
		return nil
	}
	return link{int(x), int(y), v.g.edgeWeight(int(x), int(y))}
}
