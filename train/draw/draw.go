// Package draw samples from the distributions that training needs. Unlike the methods of math/rand/v2
// it gives the same bits on every amd64 machine: logarithms come from vec and no sum is fused.
package draw

import (
	"math"
	"math/rand/v2"

	"github.com/starling-ml/starling/vec"
)

// Normal returns a standard normal value by the polar method (Marsaglia and Bray 1964). The second
// value of a pair is thrown away, so that a stream has no state but its source's.
func Normal(r *rand.Rand) float64 {
	for {
		u, v := float64(2*float64(r.Float64()))-1, float64(2*float64(r.Float64()))-1
		s := float64(u*u) + float64(v*v)
		if s > 0 && s < 1 {
			return u * math.Sqrt(-2*vec.Log(s)/s)
		}
	}
}

// Exponential returns a value of the exponential law with mean 1 from one uniform value.
func Exponential(r *rand.Rand) float64 { return -vec.Log(1 - r.Float64()) }

// LogGamma returns the logarithm of a value of the gamma law with scale 1, by rejection from a cubed
// normal (Marsaglia and Tsang 2000). It is a logarithm because values of small shapes are too small
// for a float64. The shape must be positive.
func LogGamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		boost := vec.Log(1-r.Float64()) / shape
		return LogGamma(r, shape+1) + boost
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := Normal(r)
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		logV := float64(3 * vec.Log(v))
		cube := float64(float64(v*v) * v)
		bound := float64(0.5*float64(x*x)) + float64(d*(1-cube+logV))
		if vec.Log(1-r.Float64()) < bound {
			return vec.Log(d) + logV
		}
	}
}

// Dirichlet returns n shares that sum to 1, drawn from the symmetric Dirichlet law: a small alpha
// gives nearly everything to one of them, a large one gives nearly equal shares.
func Dirichlet(r *rand.Rand, n int, alpha float64) []float64 {
	shares := make([]float64, n)
	most := math.Inf(-1)
	for i := range shares {
		shares[i] = LogGamma(r, alpha)
		most = max(most, shares[i])
	}
	sum := 0.0
	for i := range shares {
		shares[i] = vec.Exp(shares[i] - most)
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}
