package topology

import (
	"cmp"
	"slices"
)

// SpanningTree returns edges that connect whatever g connects, without a cycle, sorted by (U, V). The
// peers for which leaf is true become leaves wherever the graph allows it: a path between two others
// leads through them only if there is no other. Equal arguments give equal trees, so peers that know
// the graph agree on the tree without a message.
func SpanningTree(g *Graph, leaf func(int) bool) []Edge {
	edges := g.Edges()
	slices.SortStableFunc(edges, func(a, b Edge) int { return cmp.Compare(leaves(a, leaf), leaves(b, leaf)) })
	root := make([]int, g.N()) // union-find: root[v] leads to the vertex that stands for v's part
	for v := range root {
		root[v] = v
	}
	find := func(v int) int {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	var tree []Edge
	for _, e := range edges { // Kruskal: an edge is taken if it joins two parts
		if u, v := find(e.U), find(e.V); u != v {
			root[u] = v
			tree = append(tree, e)
		}
	}
	slices.SortFunc(tree, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.U, b.U), cmp.Compare(a.V, b.V)) })
	return tree
}

// leaves counts the ends of e that should be leaves.
func leaves(e Edge, leaf func(int) bool) int {
	n := 0
	for _, v := range []int{e.U, e.V} {
		if leaf(v) {
			n++
		}
	}
	return n
}
