package draw_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/starling-ml/starling/train/draw"
)

// moments returns mean and variance of n draws.
func moments(n int, f func() float64) (mean, variance float64) {
	sum, squares := 0.0, 0.0
	for range n {
		v := f()
		sum += v
		squares += v * v
	}
	mean = sum / float64(n)
	return mean, squares/float64(n) - mean*mean
}

// TestMoments compares with the law, within five standard errors or so of 200,000 draws.
func TestMoments(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	gamma := func(shape float64) func() float64 {
		return func() float64 { return math.Exp(draw.LogGamma(r, shape)) }
	}
	for _, c := range []struct {
		name           string
		f              func() float64
		mean, variance float64
	}{
		{"normal", func() float64 { return draw.Normal(r) }, 0, 1},
		{"exponential", func() float64 { return draw.Exponential(r) }, 1, 1},
		{"gamma 0.3", gamma(0.3), 0.3, 0.3},
		{"gamma 1", gamma(1), 1, 1},
		{"gamma 4.5", gamma(4.5), 4.5, 4.5},
	} {
		mean, variance := moments(200_000, c.f)
		if math.Abs(mean-c.mean) > 0.012*math.Sqrt(c.variance) || math.Abs(variance/c.variance-1) > 0.05 {
			t.Errorf("%s: mean %.4f variance %.4f, want %v and %v", c.name, mean, variance, c.mean, c.variance)
		}
	}
}

func TestNormalHasItsQuantiles(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	const n = 100_000
	below := map[float64]int{-1.959964: 0, -0.674490: 0, 0: 0, 1.281552: 0}
	for range n {
		v := draw.Normal(r)
		for q := range below {
			if v < q {
				below[q]++
			}
		}
	}
	for q, count := range below {
		want := 0.5 * math.Erfc(-q/math.Sqrt2)
		if math.Abs(float64(count)/n-want) > 0.007 {
			t.Errorf("%d of %d below %v, want a share of %.3f", count, n, q, want)
		}
	}
}

func TestDirichletSharesSumToOne(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	for _, alpha := range []float64{0.001, 0.1, 1, 50} {
		first, _ := moments(4000, func() float64 {
			shares := draw.Dirichlet(r, 5, alpha)
			sum := 0.0
			for _, s := range shares {
				if !(s >= 0 && s <= 1) {
					t.Fatalf("alpha %v: share %v", alpha, s)
				}
				sum += s
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("alpha %v: shares sum to %v", alpha, sum)
			}
			return shares[0]
		})
		if math.Abs(first-0.2) > 0.032 {
			t.Errorf("alpha %v: mean share %v, want 1/5", alpha, first)
		}
	}
}

func TestDirichletSpread(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 9))
	for _, alpha := range []float64{0.1, 2} {
		_, variance := moments(20_000, func() float64 { return draw.Dirichlet(r, 4, alpha)[2] })
		want := (1.0 / 4) * (3.0 / 4) / (4*alpha + 1)
		if math.Abs(variance/want-1) > 0.06 {
			t.Errorf("alpha %v: variance %v, want %v", alpha, variance, want)
		}
	}
}

// TestBitsAreTheSameOnEveryAmd64 compares with the draws of another machine.
func TestBitsAreTheSameOnEveryAmd64(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("other architectures agree only with themselves")
	}
	r := rand.New(rand.NewPCG(1, 2))
	h := fnv.New64a()
	for range 20_000 {
		row := []float64{draw.Normal(r), draw.Exponential(r), draw.LogGamma(r, 0.2), draw.LogGamma(r, 3)}
		if err := binary.Write(h, binary.LittleEndian, append(row, draw.Dirichlet(r, 3, 0.4)...)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := h.Sum64(), uint64(0xfa7a6af49120b3ac); got != want {
		t.Errorf("hash %#x, want %#x", got, want)
	}
}
