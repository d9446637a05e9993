package vec_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/vec"
)

func relative(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }

func TestExpIsCloseToTheStandardLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-700, 700).Draw(t, "x")
		if e := relative(vec.Exp(x), math.Exp(x)); e > 1e-15 {
			t.Fatalf("exp(%v) is off by %g", x, e)
		}
	})
}

// TestLogIsCloseToTheStandardLibrary leaves out the subnormal numbers, for which the assembly of the
// standard library on amd64 is wrong; TestExpAndLogAtTheEnds has one.
func TestLogIsCloseToTheStandardLibrary(t *testing.T) {
	t.Parallel()
	const smallestNormal = 0x1p-1022
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(smallestNormal, math.MaxFloat64).Draw(t, "x")
		if want := math.Log(x); want != 0 && relative(vec.Log(x), want) > 1e-15 {
			t.Fatalf("log(%v) is %v, want %v", x, vec.Log(x), want)
		}
	})
}

// TestExpAgainstItsSeries sums the series with 200 bits: no library is taken at its word.
func TestExpAgainstItsSeries(t *testing.T) {
	t.Parallel()
	for x := -20.0; x <= 20; x += 0.37 {
		want, _ := series(x).Float64()
		if e := relative(vec.Exp(x), want); e > 2.3e-16 {
			t.Errorf("exp(%v) is off by %g", x, e)
		}
	}
}

func series(x float64) *big.Float {
	precise := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	sum, term := precise(1), precise(1)
	for k := 1.0; k < 150; k++ {
		term.Mul(term, precise(x))
		term.Quo(term, precise(k))
		sum.Add(sum, term)
	}
	return sum
}

func TestLogUndoesExp(t *testing.T) {
	t.Parallel()
	for x := -700.0; x <= 700; x += 0.73 {
		if got := vec.Log(vec.Exp(x)); math.Abs(got-x) > 3e-16*max(1, math.Abs(x)) {
			t.Errorf("log(exp(%v)) is %v", x, got)
		}
	}
}

func TestExpAndLogAtTheEnds(t *testing.T) {
	t.Parallel()
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"exp(0)", vec.Exp(0), 1},
		{"exp(-0)", vec.Exp(math.Copysign(0, -1)), 1},
		{"exp(inf)", vec.Exp(inf), inf},
		{"exp(-inf)", vec.Exp(-inf), 0},
		{"exp(nan)", vec.Exp(nan), nan},
		{"exp(710)", vec.Exp(710), inf},
		{"exp(-746)", vec.Exp(-746), 0},
		{"log(1)", vec.Log(1), 0},
		{"log(0)", vec.Log(0), -inf},
		{"log(-1)", vec.Log(-1), nan},
		{"log(inf)", vec.Log(inf), inf},
		{"log(nan)", vec.Log(nan), nan},
	} {
		if same := c.got == c.want || math.IsNaN(c.got) && math.IsNaN(c.want); !same {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
	if got, want := vec.Exp(-745), 5e-324; got != want {
		t.Errorf("exp(-745) is %v, want the smallest number %v", got, want)
	}
	if got := vec.Log(math.SmallestNonzeroFloat64); relative(got, -744.4400719213812) > 1e-15 {
		t.Errorf("log of the smallest number is %v", got)
	}
}

// TestBitsAreKnown pins bits: they must be the same with GOAMD64=v1 and v3, and on every machine.
func TestBitsAreKnown(t *testing.T) {
	t.Parallel()
	hash := uint64(14695981039346656037)
	add := func(v float64) { hash = (hash ^ math.Float64bits(v)) * 1099511628211 }
	for i := range 20_000 {
		x := float64(i-10_000) / 20
		add(vec.Exp(x))
		add(vec.Log(float64(i) + 0.5))
	}
	m := newMixture(5000, 7)
	for _, v := range vec.Mix(nil, m.x, m.weights, m.inputs) {
		add(float64(v))
	}
	add(vec.Distance(m.x, m.inputs[0]))
	const want uint64 = 0x5ce7123d8f36543
	if hash != want {
		t.Errorf("bits hash to %#x, want %#x", hash, want)
	}
}
