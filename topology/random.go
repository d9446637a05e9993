package topology

import (
	"fmt"
	"math/rand/v2"

	"github.com/starling-ml/starling/internal/seed"
)

// attempts bounds the search for a connected random graph; one in two would be a bad graph already.
const attempts = 100

// randomRegular starts from a lattice and swaps the ends of random pairs of edges, which keeps every
// degree: a connected random graph, an expander with high probability from degree 3 on.
func randomRegular(s Spec) (*Graph, error) {
	degree, err := s.degree()
	if err != nil {
		return nil, err
	}
	if degree%2 == 1 && s.N%2 == 1 {
		return nil, fmt.Errorf("degree %d of %d peers: one of the two must be even", degree, s.N)
	}
	if degree == 1 && s.N > 2 {
		return nil, fmt.Errorf("degree 1 joins %d peers in pairs only: use degree 2 or more", s.N)
	}
	rng := seed.Stream(s.Seed, "topology", s.Graph)
	offsets := upTo(degree / 2)
	if degree%2 == 1 {
		offsets = append(offsets, s.N/2)
	}
	start := relabel(byOffsets(s.N, offsets), rng.Perm(s.N))
	if degree <= 2 {
		return start, nil // a random cycle; swaps would cut it in pieces
	}
	return connected(s, func() *Graph { return swapped(start, rng) })
}

// smallWorld moves the far end of each edge of a lattice, with probability Rewire, to a random peer
// (Watts and Strogatz 1998).
func smallWorld(s Spec) (*Graph, error) {
	degree, err := s.evenDegree()
	if err != nil {
		return nil, err
	}
	rewire := s.Rewire
	if rewire == 0 {
		rewire = 0.1
	}
	if !(rewire > 0 && rewire <= 1) {
		return nil, fmt.Errorf("rewire %v is not a probability: give a number from 0 to 1, 0 means 0.1", s.Rewire)
	}
	rng := seed.Stream(s.Seed, "topology", s.Graph)
	return connected(s, func() *Graph { return rewired(byOffsets(s.N, upTo(degree/2)), rewire, rng) })
}

// connected draws until the graph is connected.
func connected(s Spec, draw func() *Graph) (*Graph, error) {
	for range attempts {
		if g := draw(); g.Connected() {
			return g, nil
		}
	}
	return nil, fmt.Errorf("graph %s of %d peers: none of %d draws is connected: use a larger degree",
		s.Graph, s.N, attempts)
}

// relabel calls vertex i of g by the name to[i].
func relabel(g *Graph, to []int) *Graph {
	renamed := New(g.N())
	for _, e := range g.Edges() {
		renamed.join(to[e.U], to[e.V])
	}
	return renamed
}

// swapped replaces pairs of edges a-b, c-d by a-d, c-b where that makes neither a loop nor a second
// edge. Ten tries an edge forget the start.
func swapped(start *Graph, rng *rand.Rand) *Graph {
	edges := newEdgeSet(start)
	for range 10 * len(edges.list) {
		i, j := rng.IntN(len(edges.list)), rng.IntN(len(edges.list))
		a, b, c, d := edges.list[i][0], edges.list[i][1], edges.list[j][0], edges.list[j][1]
		if rng.IntN(2) == 1 {
			c, d = d, c
		}
		if a == d || b == c || edges.has(a, d) || edges.has(c, b) {
			continue
		}
		edges.replace(i, a, d)
		edges.replace(j, c, b)
	}
	return edges.graph(start.N())
}

// rewired moves ends of edges to random peers that are not yet neighbours.
func rewired(start *Graph, probability float64, rng *rand.Rand) *Graph {
	edges := newEdgeSet(start)
	for i, e := range edges.list {
		if rng.Float64() >= probability {
			continue
		}
		if v := rng.IntN(start.N()); v != e[0] && !edges.has(e[0], v) {
			edges.replace(i, e[0], v)
		}
	}
	return edges.graph(start.N())
}

// edgeSet is a list of edges in which one can be found and replaced quickly.
type edgeSet struct {
	list [][2]int
	in   map[[2]int]struct{} // keys (low, high); asked, never walked
}

func newEdgeSet(g *Graph) *edgeSet {
	s := &edgeSet{in: map[[2]int]struct{}{}}
	for _, e := range g.Edges() {
		s.list = append(s.list, [2]int{e.U, e.V})
		s.in[[2]int{e.U, e.V}] = struct{}{}
	}
	return s
}

func (s *edgeSet) has(u, v int) bool {
	_, ok := s.in[[2]int{min(u, v), max(u, v)}]
	return ok
}

func (s *edgeSet) replace(i, u, v int) {
	old := s.list[i]
	delete(s.in, [2]int{min(old[0], old[1]), max(old[0], old[1])})
	s.list[i] = [2]int{u, v}
	s.in[[2]int{min(u, v), max(u, v)}] = struct{}{}
}

func (s *edgeSet) graph(n int) *Graph {
	g := New(n)
	for _, e := range s.list {
		g.join(e[0], e[1])
	}
	return g
}
