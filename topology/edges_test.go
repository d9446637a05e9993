package topology

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
)

// TestRandomGraphsAreTheSameOnEveryMachine pins the graphs that seeds have given so far: peers compute
// the topology of a run each for itself, so another graph is another protocol.
func TestRandomGraphsAreTheSameOnEveryMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Graph: "random-regular", N: 64, Degree: 4, Seed: 7}, "ad5c35c925a5a559"},
		{Spec{Graph: "random-regular", N: 64, Degree: 2, Seed: 7}, "14ba66bb3a762113"},
		{Spec{Graph: "random-regular", N: 64, Degree: 5, Seed: 8}, "69603007a0177837"},
		{Spec{Graph: "small-world", N: 64, Degree: 4, Rewire: 0.25, Seed: 7}, "b1505f1866bcfa10"},
	} {
		g, err := Generate(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		fmt.Fprint(h, g.Edges())
		if got := fmt.Sprintf("%016x", h.Sum64()); got != c.want {
			t.Errorf("%s, degree %d, seed %d: edges hash to %s, want %s", c.spec.Graph, c.spec.Degree, c.spec.Seed, got, c.want)
		}
	}
}

// TestFromEdgesDoesNotDependOnTheOrder in which a file lists its edges, nor on their direction.
func TestFromEdgesDoesNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g, err := Generate(Spec{Graph: "small-world", N: rapid.IntRange(3, 30).Draw(t, "n"), Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		shuffled := rapid.Permutation(g.Edges()).Draw(t, "order")
		for i, e := range shuffled {
			if rapid.Bool().Draw(t, "turned") {
				shuffled[i].U, shuffled[i].V = e.V, e.U
			}
		}
		again, err := fromEdges(g.N(), append(shuffled, shuffled[0]))
		if err != nil || !slices.Equal(g.Edges(), again.Edges()) {
			t.Fatalf("%v\n%v, %v", g.Edges(), again.Edges(), err)
		}
	})
}

func TestFromEdgesRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n     int
		edges []Edge
		want  string
	}{
		{0, nil, "graph of 0 peers"},
		{MaxPeers + 1, nil, "graph of 1000001 peers: give 1 to 1000000 peers"},
		{2, []Edge{{0, 2, 1}}, "edge 0-2: vertices are 0 to 1"},
		{2, []Edge{{1, 1, 1}}, "edge 1-1: a peer is not its own neighbour"},
		{2, []Edge{{1, 0, math.Inf(1)}}, "edge 0-1: weight +Inf is not a positive number"},
		{2, []Edge{{1, 0, math.NaN()}}, "edge 0-1: weight NaN is not a positive number"},
		{2, []Edge{{1, 0, 1}, {0, 1, 2}}, "edge 0-1 has weights 1 and 2: give one"},
	} {
		if _, err := fromEdges(c.n, c.edges); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%d peers, %v: error %v, want %s", c.n, c.edges, err, c.want)
		}
	}
}

// TestEdgeSetFollowsItsList: what is asked agrees with what is listed after any replacements.
func TestEdgeSetFollowsItsList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const n = 9
		s := newEdgeSet(byOffsets(n, []int{1, 2}))
		for range 20 {
			u, v := rapid.IntRange(0, n-1).Draw(t, "u"), rapid.IntRange(0, n-1).Draw(t, "v")
			if u != v && !s.has(u, v) {
				s.replace(rapid.IntRange(0, len(s.list)-1).Draw(t, "at"), u, v)
			}
		}
		g := s.graph(n)
		if len(g.Edges()) != len(s.list) || len(s.in) != len(s.list) {
			t.Fatalf("%d edges listed, %d known, %d in the graph", len(s.list), len(s.in), len(g.Edges()))
		}
		for u := range n {
			for v := range n {
				if u != v && g.Has(u, v) != s.has(u, v) {
					t.Fatalf("edge %d-%d: graph %v, set %v", u, v, g.Has(u, v), s.has(u, v))
				}
			}
		}
	})
}

// TestSwapsKeepEveryDegree is why random-regular is regular.
func TestSwapsKeepEveryDegree(t *testing.T) {
	t.Parallel()
	start, err := Generate(Spec{Graph: "clusters", N: 30})
	if err != nil {
		t.Fatal(err)
	}
	g := swapped(start, seed.Stream(1, "swaps"))
	for v := range g.N() {
		if g.Degree(v) != start.Degree(v) {
			t.Errorf("peer %d has degree %d, had %d", v, g.Degree(v), start.Degree(v))
		}
	}
	if slices.Equal(g.Edges(), start.Edges()) {
		t.Error("nothing was swapped")
	}
}

// TestConnectedGivesUp on draws that never are.
func TestConnectedGivesUp(t *testing.T) {
	t.Parallel()
	draws := 0
	_, err := connected(Spec{Graph: "small-world", N: 3}, func() *Graph { draws++; return New(3) })
	if err == nil || !strings.Contains(err.Error(), "none of 100 draws is connected: use") || draws != attempts {
		t.Errorf("%d draws, error %v", draws, err)
	}
}

// TestKrylovBasisIsOrthonormal and has mean zero, to the last step: this is what plain Lanczos loses.
func TestKrylovBasisIsOrthonormal(t *testing.T) {
	t.Parallel()
	k := krylov{w: Metropolis(byOffsets(200, []int{1, 7, 30}))}
	k.start()
	for range 90 {
		k.extend()
	}
	for i, a := range k.basis {
		if mean := floats.Sum(a); math.Abs(mean) > 1e-10 {
			t.Errorf("vector %d sums to %g", i, mean)
		}
		for j, b := range k.basis[:i+1] {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := floats.Dot(a, b); math.Abs(got-want) > 1e-10 {
				t.Errorf("vectors %d and %d: product %g", i, j, got)
			}
		}
	}
}

func TestDraftCountsItsPeers(t *testing.T) {
	t.Parallel()
	d := &draft{}
	for want, name := range []string{"b", "a", "c"} {
		for range 2 {
			if got, err := d.peer(name); got != want || err != nil {
				t.Errorf("peer %q is %d, %v; want %d", name, got, err, want)
			}
		}
	}
	d.n = MaxPeers
	if _, err := d.peer("z"); err == nil || !strings.Contains(err.Error(), `peer "z" is one too many`) {
		t.Errorf("error %v", err)
	}
}

// TestNumbersAreTakenOnlyIfTheyCoverThePeers: 0 to n-1 in any order are numbers, anything else is names.
func TestNumbersAreTakenOnlyIfTheyCoverThePeers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names []string
		want  Edge // of the edge between the first and the last peer named
	}{
		{[]string{"2", "0", "1"}, Edge{2, 1, 1}},
		{[]string{"1", "2", "3"}, Edge{0, 2, 1}},
		{[]string{"0", "1", "x"}, Edge{0, 2, 1}},
		{[]string{"0", "01", "1"}, Edge{0, 2, 1}},
		{[]string{"-0", "1"}, Edge{0, 1, 1}},
	} {
		d := &draft{}
		for _, name := range c.names {
			if _, err := d.peer(name); err != nil {
				t.Fatal(err)
			}
		}
		d.edges = []Edge{{0, len(c.names) - 1, 1}}
		d.takeNumbers()
		if d.edges[0] != c.want {
			t.Errorf("%v: edge %v, want %v", c.names, d.edges[0], c.want)
		}
	}
}
