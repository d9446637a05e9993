package topology

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/starling-ml/starling/internal/seed"
)

// eigenvalues of a mixing matrix: its largest is 1, and these two decide how fast it mixes.
type eigenvalues struct{ second, smallest float64 }

// SmallestEigenvalue returns that of the Metropolis weights of g; false if it could not be found, which happens
// only to large graphs that mix very slowly.
func SmallestEigenvalue(g *Graph) (float64, bool) {
	e, ok := spectrum(Metropolis(g))
	return snap(e.smallest), ok
}

// denseLimit is the number of peers up to which all eigenvalues are computed, which takes time in its
// third power: about a second here.
const denseLimit = 800

// snap takes a number that is zero but for rounding to zero.
func snap(v float64) float64 {
	if math.Abs(v) < 1e-12 {
		return 0
	}
	return v
}

// ringGap returns the spectral gap of a ring of n peers, whose eigenvalues are (1 + 2 cos(2 pi k/n))/3.
func ringGap(n int) float64 {
	if n <= 3 {
		return 1
	}
	return 1 - max(1.0/3, 1.0/3+float64(2.0/3*math.Cos(2*math.Pi/float64(n))))
}

// spectrum returns the eigenvalues of w; ok is false when they could not be found to seven digits.
func spectrum(w *Weights) (e eigenvalues, ok bool) {
	switch {
	case w.N() == 0:
		return eigenvalues{}, false
	case w.N() == 1:
		return eigenvalues{}, true // W is [1]: nothing is left to mix, the gap is 1
	case w.N() <= denseLimit:
		return dense(w)
	default:
		return lanczos(w)
	}
}

func dense(w *Weights) (eigenvalues, bool) {
	var eigen mat.EigenSym
	if !eigen.Factorize(w.Matrix(), false) {
		return eigenvalues{}, false
	}
	values := eigen.Values(nil) // increasing
	return eigenvalues{second: values[len(values)-2], smallest: values[0]}, true
}

// lanczos finds both ends of the spectrum of W on the vectors of mean zero, where 1 is no longer the
// largest eigenvalue, from a Krylov space with full orthogonalisation (Golub and Van Loan, section 10.1).
// It gives up when the residual of one of them stays above the tolerance within the memory it may use.
func lanczos(w *Weights) (eigenvalues, bool) {
	const (
		most      = 300
		room      = 4 << 20 // numbers in the basis of a large graph
		every     = 50
		tolerance = 1e-7
	)
	k := krylov{w: w}
	k.start()
	for steps := min(most, room/w.N(), w.N()-1); len(k.alpha) < steps; {
		beta := k.extend()
		exhausted := beta < tolerance || len(k.alpha) == w.N()-1
		if !exhausted && len(k.alpha)%every != 0 {
			continue
		}
		if e, residual, ok := k.ends(beta); ok && (exhausted || residual < tolerance) {
			return e, true
		}
	}
	return eigenvalues{}, false
}

// krylov is an orthonormal basis of x, Wx, W²x, ... and the tridiagonal form of W in it.
type krylov struct {
	w     *Weights
	basis [][]float64
	next  []float64 // the unit vector to put in the basis next
	alpha []float64 // diagonal
	beta  []float64 // off the diagonal
}

func (k *krylov) start() {
	rng := seed.Stream(0, "topology", "lanczos")
	k.next = make([]float64, k.w.N())
	for i := range k.next {
		k.next[i] = rng.Float64() - 0.5
	}
	k.normalise()
}

// extend adds one vector to the basis and returns how far W leads out of it.
func (k *krylov) extend() float64 {
	v := k.next
	k.basis = append(k.basis, v)
	k.next = make([]float64, len(v))
	k.w.mul(k.next, v)
	k.alpha = append(k.alpha, floats.Dot(v, k.next))
	beta := k.normalise()
	k.beta = append(k.beta, beta)
	return beta
}

// normalise makes next a unit vector of mean zero, orthogonal to the basis, and returns its length
// before. It projects twice: once leaves errors that grow.
func (k *krylov) normalise() float64 {
	for range 2 {
		floats.AddConst(-floats.Sum(k.next)/float64(len(k.next)), k.next)
		for _, b := range k.basis {
			floats.AddScaled(k.next, -floats.Dot(b, k.next), b)
		}
	}
	length := floats.Norm(k.next, 2)
	if length > 0 {
		floats.Scale(1/length, k.next)
	}
	return length
}

// ends returns the extreme eigenvalues of the tridiagonal form and a bound on their error: the part of
// their vectors that leaves the basis.
func (k *krylov) ends(beta float64) (e eigenvalues, residual float64, ok bool) {
	n := len(k.alpha)
	t := mat.NewSymDense(n, nil)
	for i, a := range k.alpha {
		t.SetSym(i, i, a)
		if i+1 < n {
			t.SetSym(i, i+1, k.beta[i])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(t, true) {
		return eigenvalues{}, 0, false
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	last := max(math.Abs(vectors.At(n-1, 0)), math.Abs(vectors.At(n-1, n-1)))
	return eigenvalues{second: values[n-1], smallest: values[0]}, beta * last, true
}
