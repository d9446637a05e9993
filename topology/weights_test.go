package topology_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/topology"
)

func TestWeightOfAnEdge(t *testing.T) {
	t.Parallel()
	if got := topology.Weight(2, 3); got != 0.25 {
		t.Errorf("weight between degrees 2 and 3 is %v", got)
	}
	if topology.Weight(7, 1) != topology.Weight(1, 7) {
		t.Error("the two ends of an edge disagree")
	}
}

// TestStarWeightsByHand: the hub has degree 3, so each edge weighs 1/4; the hub keeps 1/4, a leaf 3/4.
func TestStarWeightsByHand(t *testing.T) {
	t.Parallel()
	w := topology.Metropolis(generate(t, topology.Spec{Graph: "star", N: 4}))
	for _, c := range []struct {
		i, j int
		want float64
	}{{0, 0, 0.25}, {0, 1, 0.25}, {1, 0, 0.25}, {1, 1, 0.75}, {1, 2, 0}, {3, 3, 0.75}} {
		if got := w.At(c.i, c.j); got != c.want {
			t.Errorf("weight of %d for %d is %v, want %v", c.i, c.j, got, c.want)
		}
	}
	if w.Self(0) != 0.25 || w.N() != 4 {
		t.Errorf("self weight of the hub %v of %d peers", w.Self(0), w.N())
	}
}

// TestWeightsAreDoublyStochasticForEveryActiveSubset is what keeps the mean of the estimates where it is
// while stragglers are left out.
func TestWeightsAreDoublyStochasticForEveryActiveSubset(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 24)
		active := map[[2]int]bool{}
		for _, e := range g.Edges() {
			active[[2]int{e.U, e.V}] = rapid.Bool().Draw(t, "active")
		}
		w := topology.MetropolisActive(g, func(u, v int) bool {
			if u >= v {
				t.Fatalf("asked for %d-%d", u, v)
			}
			return active[[2]int{u, v}]
		})
		for i := range g.N() {
			row := 0.0
			for j := range g.N() {
				wij := w.At(i, j)
				row += wij
				if wij < 0 || wij != w.At(j, i) {
					t.Fatalf("weight %d-%d is %v, its reverse %v", i, j, wij, w.At(j, i))
				}
				if i != j && (wij > 0) != active[[2]int{min(i, j), max(i, j)}] {
					t.Fatalf("weight %d-%d is %v, active %v", i, j, wij, active)
				}
			}
			if math.Abs(row-1) > 1e-12 {
				t.Fatalf("row %d sums to %v", i, row)
			}
		}
	})
}

// TestActiveWeightsAreThoseOfTheActiveGraph is the dumb twin: leave the edges out and start anew.
func TestActiveWeightsAreThoseOfTheActiveGraph(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 16)
		kept := topology.New(g.N())
		for _, e := range g.Edges() {
			if rapid.Bool().Draw(t, "active") {
				mustAdd(t, kept, e.U, e.V)
			}
		}
		w, twin := topology.MetropolisActive(g, kept.Has), topology.Metropolis(kept)
		for i := range g.N() {
			for j := range g.N() {
				if w.At(i, j) != twin.At(i, j) {
					t.Fatalf("weight %d-%d is %v, want %v", i, j, w.At(i, j), twin.At(i, j))
				}
			}
		}
	})
}

func TestEachEndComputesTheSameWeight(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 16)
		w := topology.Metropolis(g)
		for _, e := range g.Edges() {
			if want := topology.Weight(g.Degree(e.V), g.Degree(e.U)); w.At(e.U, e.V) != want {
				t.Fatalf("weight %d-%d is %v, want %v", e.U, e.V, w.At(e.U, e.V), want)
			}
		}
	})
}

func TestMatrixHoldsTheWeights(t *testing.T) {
	t.Parallel()
	w := topology.Metropolis(generate(t, topology.Spec{Graph: "clusters", N: 11}))
	m := w.Matrix()
	for i := range w.N() {
		for j := range w.N() {
			if m.At(i, j) != w.At(i, j) {
				t.Errorf("entry %d,%d is %v, want %v", i, j, m.At(i, j), w.At(i, j))
			}
		}
	}
}
