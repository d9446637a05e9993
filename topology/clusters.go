package topology

import (
	"fmt"
	"math"
)

// clusters makes groups of equal size, full inside, and joins the last peer of each with the first of
// the next, round: fast sites with thin lines between them.
func clusters(s Spec) (*Graph, error) {
	count := s.clusters()
	if count < 1 || count > s.N {
		return nil, fmt.Errorf("clusters %d of %d peers: give 1 to %d, or 0 for the square root", s.Clusters, s.N, s.N)
	}
	first := func(c int) int { return c * s.N / count } // sizes differ by one at most
	g := New(s.N)
	for c := range count {
		for u := first(c); u < first(c+1); u++ {
			for v := u + 1; v < first(c+1); v++ {
				g.join(u, v)
			}
		}
	}
	for c := range count {
		g.join(first(c+1)-1, first((c+1)%count))
	}
	return g, nil
}

func (s Spec) clusters() int {
	if s.Clusters == 0 {
		return int(math.Round(math.Sqrt(float64(s.N))))
	}
	return s.Clusters
}

func clustersEdges(s Spec) int {
	count := max(1, s.clusters())
	return s.N*(s.N/count)/2 + count
}
