package settings

import (
	"errors"
	"fmt"
	"os"

	"github.com/starling-ml/starling/topology"
)

// Topology is who is whose neighbour.
type Topology struct {
	// Graph is a generator, edges (given in place) or file.
	Graph GraphKind `yaml:"graph,omitempty"`
	// Degree of random-regular, small-world and circulant; 0: 4.
	Degree int `yaml:"degree,omitempty" jsonschema:"minimum=0"`
	// Clusters is the number of groups of the graph clusters; 0: the square root of the number of peers.
	Clusters int `yaml:"clusters,omitempty" jsonschema:"minimum=0"`
	// Rewire is the rewiring probability of small-world; 0: 0.1.
	Rewire float64 `yaml:"rewire,omitempty" jsonschema:"minimum=0,maximum=1"`
	// Seed of the random generators.
	Seed uint64 `yaml:"seed,omitempty"`
	// File is a topology file: .edges, .dot or node-link .json.
	File Path `yaml:"file,omitempty"`
	// Undirected takes a directed edge of the file for both directions.
	Undirected bool `yaml:"undirected,omitempty"`
	// Edges are pairs of peers, each with a weight if you like: [[0, 1], [1, 2, 0.5]].
	Edges [][]float64 `yaml:"edges,omitempty"`
	// AddEdges are pairs of peers that are joined in any graph.
	AddEdges [][]int `yaml:"add_edges,omitempty"`
}

// GraphKind is the name of a graph.
type GraphKind string

// Choices lists the graphs.
func (GraphKind) Choices() []string { return append(topology.Kinds(), "edges", "file") }

// kind is the graph that is meant when only a file or edges are given.
func (t Topology) kind() string {
	switch {
	case t.Graph != "":
		return string(t.Graph)
	case t.File != "":
		return "file"
	case t.Edges != nil:
		return "edges"
	default:
		return "exponential"
	}
}

// Build makes the graph of n peers; 0 takes as many as a file or the edges have. With a schedule it is the
// graph of all pairs that ever mix.
func (t Topology) Build(n int, s Schedule) (*topology.Graph, error) {
	g, err := t.build(n)
	if err != nil {
		return nil, err
	}
	if n > 0 && g.N() != n {
		return nil, fmt.Errorf("the graph has %d peers, the run has %d; make them equal", g.N(), n)
	}
	if s.Kind == "" {
		return g, nil
	}
	return topology.ScheduleGraph(topology.ScheduleSpec(s), g)
}

func (t Topology) build(n int) (*topology.Graph, error) {
	spec := topology.Spec{
		Graph: t.kind(), N: n, Degree: t.Degree, Clusters: t.Clusters, Rewire: t.Rewire, Seed: t.Seed,
		Edges: t.Edges, AddEdges: t.AddEdges,
	}
	if spec.Graph != "file" {
		return topology.Generate(spec)
	}
	if t.File == "" {
		return nil, errors.New("graph file has no file; name it in topology.file")
	}
	g, err := t.read()
	if err != nil {
		return nil, err
	}
	// The file's edges and those to add make one graph.
	for _, e := range t.AddEdges {
		if len(e) != 2 {
			return nil, fmt.Errorf("add_edges: %v; give two peers, as in [0, 4]", e)
		}
		if err := g.Add(e[0], e[1], 1); err != nil {
			return nil, fmt.Errorf("add_edges: %w", err)
		}
	}
	return g, nil
}

func (t Topology) read() (*topology.Graph, error) {
	file, err := os.Open(string(t.File))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return topology.Read(string(t.File), file, topology.ReadOptions{Undirected: t.Undirected})
}

// Check reports a graph that cannot be built, and returns it if it can. A schedule that does not suit it is
// told with the options: see Train.Check.
func (t Topology) Check(d *Document, path string, n int, s Schedule) *topology.Graph {
	switch kind := t.kind(); kind {
	case "random-regular", "small-world", "circulant":
	default:
		if t.Degree > 0 {
			d.Problem(join(path, "degree"), fmt.Sprintf("the peers of graph %s have as many neighbours as it says", kind),
				"leave it out, or use graph: circulant, random-regular or small-world")
			return nil
		}
	}
	g, err := t.Build(n, Schedule{})
	if err != nil {
		d.Check(path, err)
		return nil
	}
	if pairs, err := topology.ScheduleGraph(topology.ScheduleSpec(s), g); err == nil {
		return pairs
	}
	return g
}
