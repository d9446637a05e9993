package topology

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// fromEdges returns the graph of n vertices with the edges, each given in any direction and any number
// of times. It sorts first: a graph built in increasing order appends, and one built in the order of a
// hostile file would move its rows again and again. It reorders edges.
func fromEdges(n int, edges []Edge) (*Graph, error) {
	if n < 1 || n > MaxPeers {
		return nil, fmt.Errorf("graph of %d peers: give 1 to %d peers", n, MaxPeers)
	}
	for i, e := range edges {
		edges[i].U, edges[i].V = min(e.U, e.V), max(e.U, e.V)
	}
	slices.SortStableFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.U, b.U), cmp.Compare(a.V, b.V))
	})
	g := New(n)
	for i, e := range edges {
		if err := checkWeight(e.Weight); err != nil {
			return nil, fmt.Errorf("edge %d-%d: %w", e.U, e.V, err)
		}
		if i > 0 && edges[i-1].U == e.U && edges[i-1].V == e.V && edges[i-1].Weight != e.Weight {
			return nil, fmt.Errorf("edge %d-%d has weights %v and %v: give one", e.U, e.V, edges[i-1].Weight, e.Weight)
		}
		if err := g.Add(e.U, e.V, e.Weight); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// checkWeight wants a positive, finite number.
func checkWeight(w float64) error {
	if !(w > 0) || math.IsInf(w, 1) {
		return fmt.Errorf("weight %v is not a positive number", w)
	}
	return nil
}
