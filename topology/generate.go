package topology

import (
	"fmt"
	"math/bits"
	"strings"
)

// MaxPeers and MaxEdges bound every graph that is generated or read, so that neither a wrong number nor
// a hostile file can exhaust the memory.
const (
	MaxPeers = 1_000_000
	MaxEdges = 16 << 20
)

// defaultDegree serves the graphs that have a choice: four neighbours mix well and stay cheap.
const defaultDegree = 4

// generators in the order in which they are told to people, simplest first.
var generators = []struct {
	name  string
	edges func(Spec) int // about how many, before anything is allocated
	build func(Spec) (*Graph, error)
}{
	{"ring", func(s Spec) int { return s.N }, ring},
	{"torus", func(s Spec) int { return 2 * s.N }, torus},
	{"full", func(s Spec) int { return s.N * (s.N - 1) / 2 }, full},
	{"star", func(s Spec) int { return s.N }, star},
	{"exponential", func(s Spec) int { return s.N * bits.Len(uint(s.N)) }, exponential},
	{"circulant", lattice, circulant},
	{"random-regular", lattice, randomRegular},
	{"clusters", clustersEdges, clusters},
	{"small-world", lattice, smallWorld},
}

// Kinds returns the names of the generators. Spec.Graph may also be "edges", which takes Spec.Edges,
// or "file".
func Kinds() []string {
	names := make([]string, len(generators))
	for i, g := range generators {
		names[i] = g.name
	}
	return names
}

// Generate returns the graph that s describes. Equal specs give equal graphs on every machine. Graph
// "file" is an error: this package opens no files, the caller uses Read.
func Generate(s Spec) (*Graph, error) {
	g, err := s.base()
	if err != nil {
		return nil, err
	}
	for i, e := range s.AddEdges {
		if len(e) != 2 {
			return nil, fmt.Errorf("add_edges[%d] has %d numbers: give two peers, as in [0, 4]", i, len(e))
		}
		if err := g.Add(e[0], e[1], 1); err != nil {
			return nil, fmt.Errorf("add_edges[%d]: %w", i, err)
		}
	}
	return g, nil
}

// base returns the graph before AddEdges.
func (s Spec) base() (*Graph, error) {
	switch s.Graph {
	case "edges":
		return inline(s)
	case "file":
		return nil, fmt.Errorf("graph file: open %q and read it with topology.Read, then use its graph", s.File)
	}
	if s.N < 1 || s.N > MaxPeers {
		return nil, fmt.Errorf("graph %s of %d peers: give 1 to %d peers", s.Graph, s.N, MaxPeers)
	}
	if s.Degree < 0 {
		return nil, fmt.Errorf("degree %d: give a positive number, or 0 for %d", s.Degree, defaultDegree)
	}
	for _, kind := range generators {
		if kind.name != s.Graph {
			continue
		}
		if n := kind.edges(s); n > MaxEdges {
			return nil, fmt.Errorf("graph %s of %d peers has about %d edges: at most %d are allowed, choose a sparser graph",
				s.Graph, s.N, n, MaxEdges)
		}
		return kind.build(s)
	}
	return nil, fmt.Errorf("graph %q is not one of %s, edges, file", s.Graph, strings.Join(Kinds(), ", "))
}

// degree returns the degree asked for, or the default as far as the peers reach.
func (s Spec) degree() (int, error) {
	if s.Degree == 0 {
		return min(defaultDegree, s.N-1), nil
	}
	if s.Degree >= s.N {
		return 0, fmt.Errorf("degree %d needs at least %d peers: there are %d", s.Degree, s.Degree+1, s.N)
	}
	return s.Degree, nil
}

// lattice counts the edges of a graph of constant degree.
func lattice(s Spec) int { return s.N * max(s.Degree, defaultDegree) / 2 }
