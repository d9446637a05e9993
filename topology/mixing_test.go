package topology_test

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// mix returns W x: one round in which nobody is late.
func mix(w *topology.Weights, x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range y {
		for j := range x {
			y[i] += w.At(i, j) * x[j]
		}
	}
	return y
}

// meanAndSpread returns the mean of x and the distance of x to it.
func meanAndSpread(x []float64) (mean, spread float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		spread += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(spread)
}

func startingPoint(n int, root uint64) []float64 {
	rng := seed.Stream(root, "mixing test")
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*rng.Float64() - 1
	}
	return x
}

// TestMixingShrinksTheSpreadAtTheRateOfTheGap is what the spectral gap means: no start loses less than
// the gap in a round, and the mean stays where it is.
func TestMixingShrinksTheSpreadAtTheRateOfTheGap(t *testing.T) {
	t.Parallel()
	for _, kind := range topology.Kinds() {
		g := generate(t, topology.Spec{Graph: kind, N: 24, Seed: 5})
		w, gap := topology.Metropolis(g), topology.Inspect(g).SpectralGap
		x := startingPoint(g.N(), 1)
		mean, spread := meanAndSpread(x)
		for round := range 50 {
			x = mix(w, x)
			newMean, newSpread := meanAndSpread(x)
			if math.Abs(newMean-mean) > 1e-12 {
				t.Fatalf("%s: round %d moved the mean from %v to %v", kind, round, mean, newMean)
			}
			if newSpread > (1-gap)*spread+1e-12 {
				t.Fatalf("%s: round %d took the spread from %v to %v, gap %v", kind, round, spread, newSpread, gap)
			}
			spread = newSpread
		}
	}
}

// TestTheGapIsTight: after many rounds only the slowest mode is left, and it shrinks by 1 - gap exactly.
func TestTheGapIsTight(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"ring", "star", "clusters", "torus", "random-regular"} {
		g := generate(t, topology.Spec{Graph: kind, N: 20, Seed: 5})
		w, gap := topology.Metropolis(g), topology.Inspect(g).SpectralGap
		x := startingPoint(g.N(), 2)
		before, after := 1.0, 0.0
		for range 400 {
			x = mix(w, mix(w, x)) // twice: a mode of negative eigenvalue changes its sign
			mean, spread := meanAndSpread(x)
			for i := range x {
				x[i] = (x[i] - mean) / spread // keeps the numbers away from zero
			}
			before, after = after, spread
		}
		if rate := math.Sqrt(after); math.Abs(rate-(1-gap)) > 1e-6 || math.Abs(before-after) > 1e-6 {
			t.Errorf("%s: the spread shrinks by %v a round, the gap promises %v", kind, rate, 1-gap)
		}
	}
}

// TestMixingOverChangingSubsetsReachesTheMean although no single round connects the graph.
func TestMixingOverChangingSubsetsReachesTheMean(t *testing.T) {
	t.Parallel()
	g := generate(t, topology.Spec{Graph: "ring", N: 8})
	x := startingPoint(g.N(), 3)
	want, _ := meanAndSpread(x)
	for round := range 400 {
		x = mix(topology.MetropolisActive(g, func(u, _ int) bool { return (u+round)%2 == 0 }), x)
	}
	for i, v := range x {
		if math.Abs(v-want) > 1e-9 {
			t.Errorf("peer %d ends at %v, the mean is %v", i, v, want)
		}
	}
}

// TestRelabelledPeersGiveTheSameReport: names do not matter to what is computed of a graph.
func TestRelabelledPeersGiveTheSameReport(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 14)
		names := rapid.Permutation(numbers(g.N())).Draw(t, "names")
		renamed := topology.New(g.N())
		for _, e := range g.Edges() {
			mustAdd(t, renamed, names[e.U], names[e.V])
		}
		a, b := topology.Inspect(g), topology.Inspect(renamed)
		if a.Edges != b.Edges || a.Diameter != b.Diameter || a.Components != b.Components ||
			len(a.Bridges) != len(b.Bridges) || a.DegreeMax != b.DegreeMax || a.DegreeMin != b.DegreeMin {
			t.Fatalf("%+v\n%+v", a, b)
		}
		if math.Abs(a.SecondEigenvalue-b.SecondEigenvalue) > 1e-9 ||
			math.Abs(a.SmallestEigenvalue-b.SmallestEigenvalue) > 1e-9 {
			t.Fatalf("eigenvalues %v %v and %v %v", a.SecondEigenvalue, a.SmallestEigenvalue,
				b.SecondEigenvalue, b.SmallestEigenvalue)
		}
		for u := range g.N() {
			for v := range g.N() {
				if g.Has(u, v) != renamed.Has(names[u], names[v]) {
					t.Fatalf("edge %d-%d is lost", u, v)
				}
			}
		}
	})
}

func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// TestAnotherEdgeNeverHurtsConnectivity: parts, bridges' parts and distances can only shrink.
func TestAnotherEdgeNeverHurtsConnectivity(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 14)
		before := topology.Inspect(g)
		if g.N() < 2 {
			return
		}
		u := rapid.IntRange(0, g.N()-2).Draw(t, "u")
		mustAdd(t, g, u, rapid.IntRange(u+1, g.N()-1).Draw(t, "v"))
		after := topology.Inspect(g)
		if after.Components > before.Components || after.Edges < before.Edges {
			t.Fatalf("%+v\n%+v", before, after)
		}
		if before.Diameter >= 0 && after.Diameter > before.Diameter {
			t.Fatalf("diameter grows from %d to %d", before.Diameter, after.Diameter)
		}
		if before.Connected && len(after.Bridges) > len(before.Bridges) {
			t.Fatalf("bridges %v become %v", before.Bridges, after.Bridges)
		}
	})
}

func BenchmarkInspect(b *testing.B) {
	for _, n := range []int{64, 512, 5000} {
		g, err := topology.Generate(topology.Spec{Graph: "exponential", N: n})
		if err != nil {
			b.Fatal(err)
		}
		b.Run("exponential-"+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				topology.Inspect(g)
			}
		})
	}
}
