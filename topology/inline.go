package topology

import (
	"fmt"
	"math"
)

// inline makes a graph of Spec.Edges: [u, v] or [u, v, weight]. N of 0 means as many peers as named.
func inline(s Spec) (*Graph, error) {
	if len(s.Edges) > MaxEdges {
		return nil, fmt.Errorf("edges lists %d edges: at most %d are allowed", len(s.Edges), MaxEdges)
	}
	edges := make([]Edge, len(s.Edges))
	n := s.N
	for i, numbers := range s.Edges {
		e, err := inlineEdge(numbers)
		if err != nil {
			return nil, fmt.Errorf("edges[%d]: %w", i, err)
		}
		edges[i] = e
		if s.N == 0 {
			n = max(n, e.U+1, e.V+1)
		}
	}
	if n < 1 {
		return nil, fmt.Errorf("graph edges needs a list of edges, as in edges: [[0, 1], [1, 2]]")
	}
	return fromEdges(n, edges)
}

func inlineEdge(numbers []float64) (Edge, error) {
	if len(numbers) != 2 && len(numbers) != 3 {
		return Edge{}, fmt.Errorf("%v: give two peers and perhaps a weight, as in [0, 4]", numbers)
	}
	for _, p := range numbers[:2] {
		if p != math.Trunc(p) || p < 0 || p >= MaxPeers {
			return Edge{}, fmt.Errorf("%v is not a peer: give a whole number from 0 to %d", p, MaxPeers-1)
		}
	}
	e := Edge{U: int(numbers[0]), V: int(numbers[1]), Weight: 1}
	if len(numbers) == 3 {
		e.Weight = numbers[2]
	}
	return e, nil
}
