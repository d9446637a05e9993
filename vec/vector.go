package vec

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
)

// Clone returns a copy of x with no spare capacity.
func Clone(x []float32) []float32 {
	return slices.Clip(append(make([]float32, 0, len(x)), x...))
}

// Axpy adds a*x to dst in place. Lengths must be equal; a zero a leaves dst as it is, whatever x holds.
func Axpy(dst []float32, a float32, x []float32) {
	mustMatch(len(dst), len(x))
	// The assembly of gonum runs at the speed of memory, with a product and a sum rounded apart.
	blas32.Axpy(a, blas32.Vector{N: len(x), Data: x, Inc: 1}, blas32.Vector{N: len(dst), Data: dst, Inc: 1})
}

// Distance returns the Euclidean length of x - y. Lengths must be equal.
func Distance(x, y []float32) float64 {
	mustMatch(len(x), len(y))
	var sums lanes
	for i := range x {
		d := float64(x[i]) - float64(y[i])
		sums[i%width] += float64(d * d)
	}
	return math.Sqrt(sums.total())
}

// Finite tells whether x holds neither a NaN nor an infinity.
func Finite(x []float32) bool {
	const exponent = 0x7f800000 // all ones in NaN and infinities, and only there
	for _, v := range x {
		if math.Float32bits(v)&exponent == exponent {
			return false
		}
	}
	return true
}

// width is the number of independent partial sums, so that an addition need not wait for the last one.
const width = 4

// lanes are partial sums: element i goes to lane i mod width.
type lanes [width]float64

func (l *lanes) total() float64 { return (l[0] + l[1]) + (l[2] + l[3]) }

// mustMatch panics on unequal lengths: they are a broken invariant of the caller, never bad input.
func mustMatch(want, got int) {
	if want != got {
		panic(fmt.Sprintf("vec: lengths %d and %d differ", want, got))
	}
}
