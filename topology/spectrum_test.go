package topology

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/starling-ml/starling/internal/seed"
)

// circulantEigenvalues are those of Metropolis weights on a circulant graph, in closed form: with
// degree d and offsets o, (1 + sum of cos(2 pi k o/n) over both directions)/(d+1).
func circulantEigenvalues(n int, offsets []int) eigenvalues {
	g := byOffsets(n, offsets)
	e := eigenvalues{second: -1, smallest: 1}
	for k := 1; k < n; k++ {
		sum := 1.0
		for _, j := range g.Neighbours(0) {
			sum += math.Cos(2 * math.Pi * float64(k*j) / float64(n))
		}
		value := sum / float64(g.Degree(0)+1)
		e.second, e.smallest = max(e.second, value), min(e.smallest, value)
	}
	return e
}

func TestSpectrumOfCirculantGraphs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n       int
		offsets []int
	}{
		{4, []int{1}},
		{16, []int{1}},
		{16, []int{1, 2, 4, 8}},
		{15, []int{1, 2, 4, 8}},
		{50, []int{1, 2}},
		{1000, []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}}, // by Lanczos
	} {
		got, ok := spectrum(Metropolis(byOffsets(c.n, c.offsets)))
		want := circulantEigenvalues(c.n, c.offsets)
		if !ok || math.Abs(got.second-want.second) > 1e-7 || math.Abs(got.smallest-want.smallest) > 1e-7 {
			t.Errorf("%+v: eigenvalues %+v, want %+v", c, got, want)
		}
	}
}

// TestKnownGaps pins the numbers that the documentation prints, which were worked out by hand.
func TestKnownGaps(t *testing.T) {
	t.Parallel()
	round := func(v float64) float64 { return math.Round(v*100) / 100 }
	exponential16, _ := spectrum(Metropolis(byOffsets(16, []int{1, 2, 4, 8})))
	if round(exponential16.second) != 0.50 || round(exponential16.smallest) != -0.27 {
		t.Errorf("exponential-16: %+v, want 0.50 and -0.27", exponential16)
	}
	ring16, _ := spectrum(Metropolis(byOffsets(16, []int{1})))
	if round(ring16.second) != 0.95 {
		t.Errorf("ring-16: second eigenvalue %v, want 0.95", ring16.second)
	}
	for n := 1; n < 30; n++ {
		if e, _ := spectrum(Metropolis(byOffsets(n, []int{1}))); math.Abs(ringGap(n)-(1-max(e.second, -e.smallest))) > 1e-12 {
			t.Errorf("gap of ring-%d is %v, want %v", n, ringGap(n), 1-max(e.second, -e.smallest))
		}
	}
}

// TestLanczosAgreesWithTheDenseSolver on graphs of every kind, weights of a random active subset
// included, which may be disconnected.
func TestLanczosAgreesWithTheDenseSolver(t *testing.T) {
	t.Parallel()
	for _, kind := range Kinds() {
		g, err := Generate(Spec{Graph: kind, N: 90})
		if err != nil {
			t.Fatal(err)
		}
		rng := seed.Stream(1, kind)
		some := func(int, int) bool { return rng.IntN(4) > 0 }
		for name, w := range map[string]*Weights{"all": Metropolis(g), "some": MetropolisActive(g, some)} {
			want, denseOK := dense(w)
			got, ok := lanczos(w)
			if !denseOK || !ok {
				t.Errorf("%s, %s edges: no convergence", kind, name)
				continue
			}
			if math.Abs(got.second-want.second) > 1e-6 || math.Abs(got.smallest-want.smallest) > 1e-6 {
				t.Errorf("%s, %s edges: %+v, want %+v", kind, name, got, want)
			}
		}
	}
}

// TestSpectraInClosedForm: a star of n has eigenvalues 1, 1 - 1/n and 0; a full graph 1 and 0; a complete
// bipartite graph of m + m has 1, 1/(m+1) and (1-m)/(m+1).
func TestSpectraInClosedForm(t *testing.T) {
	t.Parallel()
	for n := 3; n < 12; n++ {
		hub, err := star(Spec{N: n})
		if err != nil {
			t.Fatal(err)
		}
		everybody, err := full(Spec{N: n})
		if err != nil {
			t.Fatal(err)
		}
		sides := New(2 * n)
		for u := range n {
			for v := range n {
				sides.join(u, n+v)
			}
		}
		m := float64(n)
		for name, c := range map[string]struct {
			g    *Graph
			want eigenvalues
		}{
			"star":      {hub, eigenvalues{1 - 1/m, 0}},
			"full":      {everybody, eigenvalues{0, 0}},
			"bipartite": {sides, eigenvalues{1 / (m + 1), (1 - m) / (m + 1)}},
		} {
			got, ok := spectrum(Metropolis(c.g))
			if !ok || math.Abs(got.second-c.want.second) > 1e-12 || math.Abs(got.smallest-c.want.smallest) > 1e-12 {
				t.Errorf("%s of %d: %+v, want %+v", name, n, got, c.want)
			}
		}
	}
}

// TestMulIsTheMatrixProduct on which Lanczos stands.
func TestMulIsTheMatrixProduct(t *testing.T) {
	t.Parallel()
	g, err := Generate(Spec{Graph: "small-world", N: 30, Degree: 4, Rewire: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	w := MetropolisActive(g, func(u, v int) bool { return (u+v)%3 > 0 })
	rng := seed.Stream(4, "mul")
	x := make([]float64, w.N())
	for i := range x {
		x[i] = rng.Float64()
	}
	got := make([]float64, w.N())
	w.mul(got, x)
	var want mat.VecDense
	want.MulVec(w.Matrix(), mat.NewVecDense(len(x), x))
	for i, v := range got {
		if math.Abs(v-want.AtVec(i)) > 1e-15 {
			t.Errorf("element %d is %v, want %v", i, v, want.AtVec(i))
		}
	}
}
