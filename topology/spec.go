package topology

// Spec names a graph: a generator with its parameters, or edges given in place.
type Spec struct {
	// Graph is one of Kinds(): ring, torus, full, star, exponential, random-regular, clusters,
	// small-world, circulant, or "file" (the caller reads File first).
	Graph string `yaml:"graph" json:"graph"`
	// N is the number of peers.
	N int `yaml:"-" json:"n"`
	// Degree of random-regular, small-world (even) and circulant (even); 0 chooses 4.
	Degree int `yaml:"degree,omitempty" json:"degree,omitempty"`
	// Clusters is the number of groups of "clusters"; 0 chooses round(sqrt(N)).
	Clusters int `yaml:"clusters,omitempty" json:"clusters,omitempty"`
	// Rewire is the rewiring probability of small-world; 0 chooses 0.1.
	Rewire float64 `yaml:"rewire,omitempty" json:"rewire,omitempty"`
	// Seed of the random generators.
	Seed uint64 `yaml:"seed,omitempty" json:"seed,omitempty"`
	// File is the topology file of graph "file".
	File string `yaml:"file,omitempty" json:"file,omitempty"`
	// Edges are edges given in place (graph: edges), AddEdges are added to any graph.
	Edges    [][]float64 `yaml:"edges,omitempty" json:"edges,omitempty"`
	AddEdges [][]int     `yaml:"add_edges,omitempty" json:"add_edges,omitempty"`
}
