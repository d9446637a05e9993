package vec_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/vec"
)

// noise returns n numbers between -2 and 2 from a fixed seed. (A normal law would take math.Log.)
func noise(n int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float32, n)
	for i := range x {
		x[i] = 4*rng.Float32() - 2
	}
	return x
}

// bitsEqual compares bits, so that NaN equals itself and -0 differs from 0.
func bitsEqual(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, got, want []float32,
) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("length %d, want %d", len(got), len(want))
	}
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("element %d of %d is %v (%#x), want %v (%#x)", i, len(got),
				got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
		}
	}
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s does not panic", what)
		}
	}()
	f()
}

// vectors draws count vectors of one length, which is often near a multiple of the unrolled width.
func vectors(t *rapid.T, count int) [][]float32 {
	n := rapid.IntRange(0, 40).Draw(t, "n")
	v := make([][]float32, count)
	for i := range v {
		v[i] = rapid.SliceOfN(rapid.Float32Range(-1e6, 1e6), n, n).Draw(t, "x")
	}
	return v
}

func TestCloneIsACopy(t *testing.T) {
	t.Parallel()
	x := noise(5, 1)
	y := vec.Clone(x)
	bitsEqual(t, y, x)
	y[0]++
	if x[0] == y[0] {
		t.Error("a write to the clone reached the original")
	}
	if cap(y) != len(y) {
		t.Errorf("capacity %d of a clone of %d elements", cap(y), len(y))
	}
	if got := vec.Clone(nil); len(got) != 0 {
		t.Errorf("clone of nil has %d elements", len(got))
	}
}

func TestAxpyEqualsItsDumbTwin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := vectors(t, 2)
		a := rapid.Float32Range(-10, 10).Draw(t, "a")
		want := vec.Clone(v[0])
		for i := range want {
			if a != 0 {
				want[i] += float32(a * v[1][i])
			}
		}
		vec.Axpy(v[0], a, v[1])
		bitsEqual(t, v[0], want)
	})
}

func TestAxpyOfZeroLeavesItsTarget(t *testing.T) {
	t.Parallel()
	x := []float32{1, 2}
	vec.Axpy(x, 0, []float32{float32(math.NaN()), float32(math.Inf(1))})
	bitsEqual(t, x, []float32{1, 2})
}

func TestDistanceByHand(t *testing.T) {
	t.Parallel()
	if got := vec.Distance([]float32{1, 2, 3, 4, 5}, []float32{4, 2, 3, 4, 1}); got != 5 {
		t.Errorf("distance %v, want 5", got)
	}
	if got := vec.Distance(nil, nil); got != 0 {
		t.Errorf("distance of nothing is %v", got)
	}
}

// TestDistanceIsExactOnSmallIntegers whatever lane an element falls in.
func TestDistanceIsExactOnSmallIntegers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		x := rapid.SliceOfN(rapid.Int16(), n, n).Draw(t, "x")
		y := rapid.SliceOfN(rapid.Int16(), n, n).Draw(t, "y")
		var square int64
		fx, fy := make([]float32, n), make([]float32, n)
		for i := range n {
			fx[i], fy[i] = float32(x[i]), float32(y[i])
			square += (int64(x[i]) - int64(y[i])) * (int64(x[i]) - int64(y[i]))
		}
		if got := vec.Distance(fx, fy); got != math.Sqrt(float64(square)) {
			t.Fatalf("distance %v, its square should be %d", got, square)
		}
	})
}

// TestDistanceIsAMetric catches a norm that overflows in float32 as well: the largest values square to
// 1e77.
func TestDistanceIsAMetric(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := vectors(t, 3)
		ab, ba := vec.Distance(v[0], v[1]), vec.Distance(v[1], v[0])
		if ab != ba {
			t.Fatalf("distance is %v one way and %v the other", ab, ba)
		}
		if far := vec.Distance(v[0], v[2]) + vec.Distance(v[2], v[1]); ab > far*(1+1e-12) {
			t.Fatalf("distance %v is longer than a detour of %v", ab, far)
		}
		if d := vec.Distance(v[0], v[0]); d != 0 {
			t.Fatalf("distance to itself %v", d)
		}
	})
	huge := []float32{3e38, 4e38 / 2}
	if d := vec.Distance(huge, make([]float32, 2)); math.IsInf(d, 0) {
		t.Error("the distance of huge numbers overflows")
	}
}

func TestFinite(t *testing.T) {
	t.Parallel()
	if !vec.Finite(nil) || !vec.Finite([]float32{0, -1, math.MaxFloat32, math.SmallestNonzeroFloat32}) {
		t.Error("finite numbers are called infinite")
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for at := range 9 {
			x := noise(9, 3)
			x[at] = float32(bad)
			if vec.Finite(x) {
				t.Errorf("%v at %d is called finite", bad, at)
			}
		}
	}
}

func TestUnequalLengthsPanic(t *testing.T) {
	t.Parallel()
	two, three := make([]float32, 2), make([]float32, 3)
	mustPanic(t, "Axpy", func() { vec.Axpy(two, 1, three) })
	mustPanic(t, "Distance", func() { vec.Distance(two, three) })
	mustPanic(t, "Mix, dst", func() { vec.Mix(two, three, nil, nil) })
	mustPanic(t, "Mix, input", func() { vec.Mix(nil, two, []float32{1}, [][]float32{three}) })
	mustPanic(t, "Mix, weights", func() { vec.Mix(nil, two, []float32{1}, nil) })
}
