package topology_test

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/starling-ml/starling/topology"
)

func read(name, text string, o topology.ReadOptions) (*topology.Graph, error) {
	return topology.Read(name, strings.NewReader(text), o)
}

const networkx = `{"directed": false, "multigraph": false, "graph": {"name": "lab"},
 "nodes": [{"id": "a", "gpu": true}, {"id": "b"}, {"id": "c"}],
 "links": [{"source": "a", "target": "c", "weight": 2}, {"source": "c", "target": "b", "key": 0}]}`

func TestReadByExample(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"plain.edges", "3\n0 1\n2 1\n", "0-1 1-2"},
		{"both-ways.edges", "3\n0 1\n1 0\n1 2\n2 1", "0-1 1-2"}, // as decentralizepy writes it
		{"comments.edges", "# a lab\n\n3 # peers\n0 1 0.5 # slow\r\n", "0-1"},
		{"lone.edges", "1\n", ""},
		{"marked.edges", "\ufeff2\n0 1\n", "0-1"}, // by an editor
		{"marked.dot", "\ufeffgraph { 0 -- 1 }", "0-1"},
		{"chain.dot", "graph { 0 -- 1 -- 2; 3 }", "0-1 1-2"},
		{"numbers.dot", "graph lab { 2 -- 0; 1 -- 2 }", "0-2 1-2"},
		{"from-one.dot", "graph { 1 -- 2; 2 -- 3 }", "0-1 1-2"}, // not 0 to 2: by order of appearance
		{"names.dot", `strict graph { "gpu 1" -- lab:n [weight=2, latency="20ms"]; lab -- "gpu 1" [weight=2] }`, "0-1"},
		{"quotes.dot", `graph { "a\"b" -- c; c -- "a\"b" }`, "0-1"},
		{"sub.dot", "graph { {a b} -- {c d} -- e }", "0-2 0-3 1-2 1-3 2-4 3-4"},
		{"group.dot", "graph { node [shape=box]; subgraph cluster_x { a -- b; color=red } b -- c }", "0-1 1-2"},
		{"both.dot", "digraph { a -> b -> a }", "0-1"},
		{"networkx.json", networkx, "0-2 1-2"},
		{"new.json", `{"nodes":[{"id":1},{"id":0}],"edges":[{"source":0,"target":1}]}`, "0-1"},
		{"directed.json", `{"directed":true,"nodes":[{"id":0},{"id":1}],` +
			`"links":[{"source":0,"target":1},{"source":1,"target":0}]}`, "0-1"},
	} {
		g, err := read(c.name, c.text, topology.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		checkInvariant(t, g)
		if got := edges(g); got != c.want {
			t.Errorf("%s: edges %s, want %s", c.name, got, c.want)
		}
	}
}

func TestReadKeepsWeightsAndLonePeers(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"w.edges": "4\n0 1 0.5\n",
		"w.dot":   "graph { 0 -- 1 [weight=0.5]; 2; 3 }",
		"w.json":  `{"nodes":[{"id":0},{"id":1},{"id":2},{"id":3}],"links":[{"source":0,"target":1,"weight":0.5}]}`,
	} {
		g, err := read(name, text, topology.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]topology.Edge{{U: 0, V: 1, Weight: 0.5}}, g.Edges()); diff != "" || g.N() != 4 {
			t.Errorf("%s: %d peers, %s", name, g.N(), diff)
		}
	}
}

func TestDirectedFilesMustHoldBothDirections(t *testing.T) {
	t.Parallel()
	const want = "edge 3->5 has no 5->3; recipes need an undirected graph (symmetrise: --undirected)"
	for name, text := range map[string]string{
		"one-way.dot":  "digraph { 0->1; 1->0; 2; 3->5; 4 }",
		"one-way.json": `{"directed":true,"nodes":[{"id":5},{"id":3}],"edges":[{"source":3,"target":5}]}`,
	} {
		if _, err := read(name, text, topology.ReadOptions{}); err == nil || err.Error() != name+": "+want {
			t.Errorf("error %v, want %s: %s", err, name, want)
		}
		if g, err := read(name, text, topology.ReadOptions{Undirected: true}); err != nil || len(g.Edges()) == 0 {
			t.Errorf("%s is not symmetrised: %v", name, err)
		}
	}
}

func TestReadRefusesWithAPlaceAndAReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a.gml", "", `a.gml: extension "gml" is not one of edges, dot, json`},
		{"a.edges", "", "a.edges:1: the file is empty: its first line gives the number of peers"},
		{"a.edges", "0 1\n", `a.edges:1: "0 1" is not a number of peers: give 1 to 1000000 alone on the first line`},
		{"a.edges", "1000001\n", `a.edges:1: "1000001" is not a number of peers`},
		{"a.edges", "# x\n\n3\n0 1\n0 3\n", `a.edges:5: "3" is not a peer: peers are 0 to 2`},
		{"a.edges", "3\n0 b\n", `a.edges:2: "b" is not a peer`},
		{"a.edges", "3\n0 -1\n", `a.edges:2: "-1" is not a peer`},
		{"a.edges", "3\n0\n", `a.edges:2: "0" is not an edge: give two peers and perhaps a weight`},
		{"a.edges", "3\n1 1\n", "a.edges:2: edge 1-1: a peer is not its own neighbour"},
		{"a.edges", "3\n0 1 x\n", `a.edges:2: weight "x" is not a number`},
		{"a.edges", "3\n0 1 nan\n", "a.edges:2: weight NaN is not a positive number"},
		{"a.edges", "3\n0 1 0\n", "a.edges:2: weight 0 is not a positive number"},
		{"a.edges", "3\n0 1 2\n1 0 3\n", "a.edges: edge 0-1 has weights 2 and 3: give one"},
		{"a.edges", "3\n" + strings.Repeat("x", 70_000), "a.edges:2: longer than 65536 bytes"},
		{"a.dot", "graph {\n a -- \n}", "a.dot:3:1: error: "},
		{"a.dot", "graph { a -> b }", "a.dot: undirected graph"},
		{"a.dot", "graph { a -- b } graph { c }", "a.dot: holds 2 graphs: keep one"},
		{"a.dot", "graph { a -- a }", "a.dot: edge a-a: a peer is not its own neighbour"},
		{"a.dot", "graph { a -- b [weight=heavy] }", "a.dot: weight heavy is not a number"},
		{"a.dot", "graph { a -- b [weight=-1] }", "a.dot: weight -1 is not a positive number"},
		{"a.dot", "graph {}", "a.dot: graph of 0 peers: give 1 to 1000000 peers"},
		{"a.dot", "graph " + strings.Repeat("{", 2000), "a.dot: more than 1000 subgraphs"},
		{"a.json", "{\n\"nodes\": [}", "a.json:2: invalid character '}'"},
		{"a.json", "{\n\n\"nodes\": 3}", "a.json:3: json: cannot unmarshal number"},
		{"a.json", `{"nodes":[{"id":1.5}]}`, "a.json: node 1.5 is neither a string nor a whole number"},
		{"a.json", `{"nodes":[{"id":[1,2]}]}`, "a.json: node [1,2] is neither"},
		{"a.json", `{"nodes":[{"id":1},{"id":"1"}]}`, `a.json: node "1" is given twice`},
		{"a.json", `{"nodes":[{}]}`, `a.json: a node has no "id"`},
		{"a.json", `{"nodes":[{"id":0}],"edges":[],"links":[]}`, `a.json: has both "links" and "edges": keep one`},
		{"a.json", `{"nodes":[{"id":0}],"links":[{"source":0,"target":7}]}`, `a.json: edge 0: 0-7 names a peer that is not`},
		{"a.json", `{"nodes":[{"id":0}],"links":[{"source":0,"target":0}]}`, "a.json: edge 0: 0-0: a peer is not its own"},
		{"a.json", `{"nodes":[{"id":0},{"id":1}],"links":[{"source":0,"target":1,"weight":-2}]}`, "edge 0: weight -2 is not"},
	} {
		_, err := read(c.name, c.text, topology.ReadOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) && !strings.Contains(err.Error(), ": "+c.want) {
			t.Errorf("%s %.40q:\n got %v\nwant %s", c.name, c.text, err, c.want)
		}
	}
}

// TestReadStopsAtItsLimits: neither a long file nor a product of two subgraphs may fill the memory.
func TestReadStopsAtItsLimits(t *testing.T) {
	t.Parallel()
	endless := iotest.DataErrReader(zeros{})
	if _, err := topology.Read("a.dot", endless, topology.ReadOptions{}); err == nil ||
		err.Error() != "a.dot: larger than 4 MiB: use the format edges" {
		t.Errorf("endless file: %v", err)
	}
	var left, right strings.Builder
	for i := range 5000 {
		left.WriteString("a" + strconv.Itoa(i) + " ")
		right.WriteString("b" + strconv.Itoa(i) + " ")
	}
	product := "graph { {" + left.String() + "} -- {" + right.String() + "} }"
	_, err := read("a.dot", product, topology.ReadOptions{})
	if err == nil || err.Error() != "a.dot: more than 16777216 edges" {
		t.Errorf("product of subgraphs: %v", err)
	}
	chain := "graph { a" + strings.Repeat(" -- b -- a", 20_000) + " }"
	if _, err := read("a.dot", chain, topology.ReadOptions{}); err != nil {
		t.Errorf("long chain: %v", err)
	}
}

// zeros is a reader without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestReadPassesOnTheErrorOfItsReader(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	if _, err := topology.Read("a.edges", iotest.ErrReader(broken), topology.ReadOptions{}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// TestWhatIsWrittenIsRead in every format, for any graph with any weights.
func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 20)
		for _, e := range g.Edges() {
			if rapid.Bool().Draw(t, "weighted") {
				_ = g.Add(e.U, e.V, rapid.Float64Range(1e-300, 1e300).Draw(t, "weight"))
			}
		}
		for _, format := range topology.Formats() {
			var out bytes.Buffer
			if err := topology.Write(g, format, &out); err != nil {
				t.Fatal(err)
			}
			text := out.String()
			again, err := topology.Read("x."+format, &out, topology.ReadOptions{})
			if err != nil {
				t.Fatalf("%v of\n%s", err, text)
			}
			if diff := cmp.Diff(g.Edges(), again.Edges()); diff != "" || g.N() != again.N() {
				t.Fatalf("%s: %d peers of %d: %s\n%s", format, again.N(), g.N(), diff, text)
			}
		}
	})
}

func TestWriteByExample(t *testing.T) {
	t.Parallel()
	g := topology.New(3)
	if err := errors.Join(g.Add(0, 1, 1), g.Add(1, 2, 0.5)); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{
		"edges": "3\n0 1\n1 2 0.5\n",
		"dot": "strict graph {\n  // Node definitions.\n  0;\n  1;\n  2;\n\n  // Edge definitions.\n" +
			"  0 -- 1;\n  1 -- 2 [weight=0.5];\n}\n",
		"json": `{"directed":false,"multigraph":false,"graph":{},"nodes":[{"id":0},{"id":1},{"id":2}],` +
			`"edges":[{"source":0,"target":1},{"source":1,"target":2,"weight":0.5}]}` + "\n",
	} {
		var out strings.Builder
		if err := topology.Write(g, format, &out); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", format, diff)
		}
	}
	if err := topology.Write(g, "gml", &strings.Builder{}); err == nil ||
		err.Error() != `format "gml" is not one of edges, dot, json` {
		t.Errorf("error %v", err)
	}
}

func TestWritePassesOnTheErrorOfItsWriter(t *testing.T) {
	t.Parallel()
	g := generate(t, topology.Spec{Graph: "ring", N: 4})
	for _, format := range topology.Formats() {
		if err := topology.Write(g, format, full{}); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v", format, err)
		}
	}
	if err := topology.DrawSVG(g, full{}); !errors.Is(err, errFull) {
		t.Errorf("svg: error %v", err)
	}
	if err := topology.DrawText(g, full{}); !errors.Is(err, errFull) {
		t.Errorf("text: error %v", err)
	}
}

var errFull = errors.New("disk full")

// full is a writer that has no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
