package topology_test

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/topology"
)

func readFile(t *testing.T, name string, o topology.ReadOptions) (*topology.Graph, error) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return topology.Read(name, file, o)
}

// TestFilesOfOtherPrograms: networkx wrote the JSON (with edges= either name), Graphviz the DOT, and
// the edge list holds both directions as those of decentralizepy do.
func TestFilesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]topology.Report{
		"karate-links.json":         {Peers: 34, Edges: 78, Components: 1, Diameter: 5, Bridges: [][2]int{{0, 11}}},
		"petersen-edges.json":       {Peers: 10, Edges: 15, Components: 1, Diameter: 2},
		"multi.json":                {Peers: 3, Edges: 2, Components: 1, Diameter: 2, Bridges: [][2]int{{0, 1}, {1, 2}}},
		"graphviz.dot":              {Peers: 5, Edges: 5, Components: 1, Diameter: 3, Bridges: [][2]int{{0, 1}, {0, 4}}},
		"regular-8-both-ways.edges": {Peers: 8, Edges: 12, Components: 1, Diameter: 3},
	} {
		g, err := readFile(t, name, topology.ReadOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		got := topology.Inspect(g)
		if got.Peers != want.Peers || got.Edges != want.Edges || got.Components != want.Components ||
			got.Diameter != want.Diameter || !slices.Equal(got.Bridges, want.Bridges) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
}

// TestPetersenSpectrum: the adjacency matrix has eigenvalues 3, 1 and -2, so (I + A)/4 has 1, 1/2, -1/4.
func TestPetersenSpectrum(t *testing.T) {
	t.Parallel()
	g, err := readFile(t, "petersen-edges.json", topology.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := topology.Inspect(g)
	if math.Abs(r.SecondEigenvalue-0.5) > 1e-12 || math.Abs(r.SmallestEigenvalue+0.25) > 1e-12 {
		t.Errorf("eigenvalues %v and %v", r.SecondEigenvalue, r.SmallestEigenvalue)
	}
	if len(r.Warnings) != 0 {
		t.Errorf("warnings %q of a perfect graph", r.Warnings)
	}
}

func TestADirectedFileOfNetworkx(t *testing.T) {
	t.Parallel()
	_, err := readFile(t, "one-way.json", topology.ReadOptions{})
	if err == nil || !strings.HasPrefix(err.Error(), "one-way.json: edge 1->2 has no 2->1; ") {
		t.Errorf("error %v", err)
	}
	g, err := readFile(t, "one-way.json", topology.ReadOptions{Undirected: true})
	if err != nil || edges(g) != "0-1 0-2 1-2" {
		t.Errorf("edges %v, error %v", g, err)
	}
}

// TestEveryTruncationIsRefusedOrAGraph cuts each file after every byte: half a file never panics, and
// what is accepted keeps the invariant.
func TestEveryTruncationIsRefusedOrAGraph(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(os.DirFS("testdata"), "*.*")
	if err != nil || len(names) < 6 {
		t.Fatalf("%d files, error %v", len(names), err)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		accepted := 0
		for n := range min(len(text), 1200) {
			g, err := read(name, string(text[:n]), topology.ReadOptions{Undirected: true})
			if err != nil {
				continue
			}
			checkInvariant(t, g)
			accepted++
		}
		if structured := filepath.Ext(name) != ".edges"; structured && accepted > 0 && len(text) > 1200 {
			t.Errorf("%s: %d beginnings of it are taken for the whole", name, accepted)
		}
	}
}

// TestHostileOrderIsNoWorse: a star listed backwards would move its hub's row for every edge if edges
// were inserted as they come; 100,000 of them would take minutes.
func TestHostileOrderIsNoWorse(t *testing.T) {
	t.Parallel()
	const n = 100_000
	backwards := make([][]float64, 0, n)
	for v := n - 1; v > 0; v-- {
		backwards = append(backwards, []float64{float64(v), 0})
	}
	g := generate(t, topology.Spec{Graph: "edges", Edges: backwards})
	checkInvariant(t, g)
	if g.Degree(0) != n-1 || g.N() != n {
		t.Errorf("hub of degree %d among %d", g.Degree(0), g.N())
	}
}

// TestWarnings has one graph for each, and good graphs for none.
func TestWarnings(t *testing.T) {
	t.Parallel()
	barbell := topology.Spec{Graph: "edges", Edges: [][]float64{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {4, 5}, {3, 5}}}
	path := topology.Spec{Graph: "edges"}
	for v := range 9 {
		path.Edges = append(path.Edges, []float64{float64(v), float64(v + 1)})
	}
	for _, c := range []struct {
		name string
		spec topology.Spec
		want []string // beginnings, in order
	}{
		{"exponential", topology.Spec{Graph: "exponential", N: 16}, nil},
		{"full", topology.Spec{Graph: "full", N: 9}, nil},
		{"three in a row", topology.Spec{Graph: "star", N: 3}, []string{"losing one of the edges 0-1, 0-2 splits"}},
		{"star", topology.Spec{Graph: "star", N: 5}, []string{"peer 0 is a hub with 4 of 4 edges"}},
		{"barbell", barbell, []string{"losing one of the edges 2-3 splits"}},
		{
			"path", path,
			[]string{"losing one of the edges 0-1, 1-2, 2-3, 3-4, 4-5, and 4 more splits"},
		},
		{"torus", topology.Spec{Graph: "torus", N: 16}, []string{"smallest eigenvalue -0.60 is not above -1/3"}},
		{"ring", topology.Spec{Graph: "ring", N: 41}, []string{"spectral gap 0.0078: averaging takes about 128 rounds"}},
		{"apart", topology.Spec{Graph: "edges", N: 3, Edges: [][]float64{{0, 1}}}, []string{
			"disconnected: its 2 components never agree", "losing one of the edges 0-1",
		}},
	} {
		got := topology.Inspect(generate(t, c.spec)).Warnings
		match := slices.EqualFunc(got, c.want, func(g, w string) bool { return strings.HasPrefix(g, w) })
		if !match {
			t.Errorf("%s: warnings\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestDrawEveryFile draws what other programs wrote as text and as SVG.
func TestDrawEveryFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"karate-links.json", "petersen-edges.json", "graphviz.dot"} {
		g, err := readFile(t, name, topology.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var text, svg strings.Builder
		if err := errors.Join(topology.DrawText(g, &text), topology.DrawSVG(g, &svg)); err != nil {
			t.Fatal(err)
		}
		marks := strings.Count(text.String(), "# ")
		if lines := strings.Count(text.String(), "\n"); lines != g.N() || marks != 2*len(g.Edges()) {
			t.Errorf("%s: %d lines and %d marks for %d peers and %d edges", name, lines, marks, g.N(), len(g.Edges()))
		}
		if d := parseSVG(t, svg.String()); len(d.Circles) != g.N() || len(d.Lines) != len(g.Edges()) {
			t.Errorf("%s: %d circles, %d lines", name, len(d.Circles), len(d.Lines))
		}
	}
}
