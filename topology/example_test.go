package topology_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/starling-ml/starling/topology"
)

func ExampleGenerate() {
	g, err := topology.Generate(topology.Spec{Graph: "ring", N: 6, AddEdges: [][]int{{0, 3}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.N(), "peers; peer 0 exchanges with", g.Neighbours(0))
	// Output: 6 peers; peer 0 exchanges with [1 3 5]
}

func ExampleInspect() {
	g, err := topology.Generate(topology.Spec{Graph: "exponential", N: 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(topology.Inspect(g))
	// Output:
	// 16 peers, 56 edges, degree 7, diameter 2, connected, no bridge
	// mixing  spectral gap 0.50 (ring-16 0.05, full 1.00)   smallest eigenvalue -0.27
}

// A straggler, peer 3 of a ring of four, is left out of a round: the edges to it weigh nothing, and
// what they weighed is kept by its neighbours.
func ExampleMetropolisActive() {
	g, err := topology.Generate(topology.Spec{Graph: "ring", N: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := topology.MetropolisActive(g, func(_, v int) bool { return v != 3 })
	for i := range w.N() {
		fmt.Printf("%.2f %.2f %.2f %.2f\n", w.At(i, 0), w.At(i, 1), w.At(i, 2), w.At(i, 3))
	}
	// Output:
	// 0.67 0.33 0.00 0.00
	// 0.33 0.33 0.33 0.00
	// 0.00 0.33 0.67 0.00
	// 0.00 0.00 0.00 1.00
}

func ExampleSpanningTree() {
	g, err := topology.Generate(topology.Spec{Graph: "full", N: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	straggler := func(peer int) bool { return peer == 0 }
	for _, e := range topology.SpanningTree(g, straggler) {
		fmt.Printf("%d-%d ", e.U, e.V)
	}
	// Output: 0-1 1-2 1-3
}

func ExampleRead() {
	file := strings.NewReader("# the lab\n3\n0 1\n1 2 0.5\n")
	g, err := topology.Read("lab.edges", file, topology.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Edges())
	// Output: [{0 1 1} {1 2 0.5}]
}

func ExampleDrawText() {
	g, err := topology.Generate(topology.Spec{Graph: "star", N: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := topology.DrawText(g, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0  \ # # # #   1 2 3 4
	// 1  # \ . . .   0
	// 2  # . \ . .   0
	// 3  # . . \ .   0
	// 4  # . . . \   0
}
