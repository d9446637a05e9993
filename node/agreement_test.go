package node

import (
	"testing"

	"github.com/starling-ml/starling/internal/settings"
)

func TestGraphsThatDifferDoNotAgree(t *testing.T) {
	t.Parallel()
	graph := func(change func(*Topology)) string {
		topology := Topology{Topology: settings.Topology{Graph: "small-world"}}
		change(&topology)
		return topology.agreement()
	}
	dynamic := graph(func(*Topology) {})
	if dynamic != "small-world" {
		t.Errorf("a graph with all defaults is %q", dynamic)
	}
	seen := map[string]bool{dynamic: true}
	members := []string{"a", "b", "c"}
	for i, change := range []func(*Topology){
		func(t *Topology) { t.Graph = "ring" },
		func(t *Topology) { t.Degree = 6 },
		func(t *Topology) { t.Rewire = 0.2 },
		func(t *Topology) { t.Seed = 2 },
		func(t *Topology) { t.AddEdges = [][]int{{0, 2}} },
		func(t *Topology) { t.Members, t.Graph = members, "full" },
		func(t *Topology) { t.Members, t.Graph = members, "star" },
		func(t *Topology) { t.Members, t.Graph, t.Slow = members, "star", []string{"b"} },
		func(t *Topology) { t.Members, t.Graph, t.Edges = members, "edges", [][]float64{{0, 1}, {1, 2}} },
		func(t *Topology) { t.Members, t.Graph, t.Edges = members, "edges", [][]float64{{0, 1}, {0, 2}} },
	} {
		text := graph(change)
		if seen[text] {
			t.Errorf("graph %d agrees with another one: %s", i, text)
		}
		if text != graph(change) {
			t.Errorf("graph %d does not agree with itself", i)
		}
		seen[text] = true
	}
}
