package topology_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/starling-ml/starling/topology"
)

// fuzzRead feeds text to one reader. It must not panic; what it accepts must be a graph, and the same
// graph after it is written and read again.
func fuzzRead(f *testing.F, format string, seeds ...string) {
	f.Helper()
	for _, s := range seeds {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, undirected bool) {
		o := topology.ReadOptions{Undirected: undirected}
		g, err := topology.Read("x."+format, bytes.NewReader(text), o)
		if err != nil || g.N() > 10_000 {
			return
		}
		checkInvariant(t, g)
		var out bytes.Buffer
		if err := topology.Write(g, format, &out); err != nil {
			t.Fatal(err)
		}
		again, err := topology.Read("x."+format, &out, topology.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g.Edges(), again.Edges()); diff != "" || g.N() != again.N() {
			t.Fatalf("%d peers of %d: %s", again.N(), g.N(), diff)
		}
	})
}

func FuzzReadEdges(f *testing.F) {
	fuzzRead(f, "edges", "3\n0 1\n1 2 0.5\n", "# c\n2\n1 0 1e-9", "999999\n999998 0\n", "2\n0 1 2\n1 0 3\n")
}

func FuzzReadDOT(f *testing.F) {
	fuzzRead(f, "dot", "graph { a -- b [weight=2]; c }", "digraph { a -> {b c} -> a }",
		`strict graph "x" { "a\"" -- <b>; subgraph { 0 -- 1 -- 2 } }`, "graph { 0:n -- 1 /* c */ // d\n# e\n}")
}

func FuzzReadNodeLink(f *testing.F) {
	fuzzRead(f, "json", networkx, `{"directed":true,"nodes":[{"id":0},{"id":1}],"edges":[{"source":0,"target":1}]}`,
		`{"nodes":[{"id":"é"},{"id":-1}],"links":null}`)
}
