// Package topology holds the graphs over which peers average: generators, mixing weights, spectra,
// checks, and readers and writers of topology files. It is pure: no I/O beyond readers and writers
// that callers hand in, no clock, no global randomness.
package topology

import (
	"fmt"
	"slices"
)

// Graph is a simple undirected graph on the vertices 0..N()-1.
//
// Invariant: neighbours are sorted, unique, never the vertex itself, and symmetric.
type Graph struct {
	adjacent [][]int
	weight   map[[2]int]float64 // only edges whose weight differs from 1; key is (low, high)
}

// Edge joins U and V with U < V. Weight is what a topology file gave, 1 otherwise; mixing weights
// are computed from degrees and do not use it.
type Edge struct {
	U, V   int
	Weight float64
}

// New returns a graph of n vertices without edges.
func New(n int) *Graph {
	return &Graph{adjacent: make([][]int, n), weight: map[[2]int]float64{}}
}

// N returns the number of vertices.
func (g *Graph) N() int { return len(g.adjacent) }

// Neighbours returns the neighbours of i in increasing order. The caller must not change it.
func (g *Graph) Neighbours(i int) []int { return g.adjacent[i] }

// Degree returns the number of neighbours of i.
func (g *Graph) Degree(i int) int { return len(g.adjacent[i]) }

// Has tells whether u and v are neighbours.
func (g *Graph) Has(u, v int) bool {
	_, found := slices.BinarySearch(g.adjacent[u], v)
	return found
}

// Add joins u and v with a weight. A loop or a vertex outside the graph is an error; adding an edge
// again replaces its weight.
func (g *Graph) Add(u, v int, weight float64) error {
	if u < 0 || v < 0 || u >= g.N() || v >= g.N() {
		return fmt.Errorf("edge %d-%d: vertices are 0 to %d", u, v, g.N()-1)
	}
	if u == v {
		return fmt.Errorf("edge %d-%d: a peer is not its own neighbour", u, v)
	}
	g.insert(u, v)
	g.insert(v, u)
	key := [2]int{min(u, v), max(u, v)}
	delete(g.weight, key)
	if weight != 1 {
		g.weight[key] = weight
	}
	return nil
}

// Edges returns all edges sorted by (U, V).
func (g *Graph) Edges() []Edge {
	var edges []Edge
	for u, neighbours := range g.adjacent {
		for _, v := range neighbours {
			if u < v {
				edges = append(edges, Edge{U: u, V: v, Weight: g.edgeWeight(u, v)})
			}
		}
	}
	return edges
}

func (g *Graph) edgeWeight(u, v int) float64 {
	if w, ok := g.weight[[2]int{min(u, v), max(u, v)}]; ok {
		return w
	}
	return 1
}

func (g *Graph) insert(u, v int) {
	at, found := slices.BinarySearch(g.adjacent[u], v)
	if !found {
		g.adjacent[u] = slices.Insert(g.adjacent[u], at, v)
	}
}
