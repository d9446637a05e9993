package vec_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/vec"
)

// dumbMix is the definition, an element at a time.
func dumbMix(x, weights []float32, inputs [][]float32) []float32 {
	out := make([]float32, len(x))
	for i := range x {
		sum := x[i]
		for j, in := range inputs {
			sum += float32(weights[j] * (in[i] - x[i]))
		}
		out[i] = sum
	}
	return out
}

// mixture is a mix to do: n elements of k inputs.
type mixture struct {
	x, weights []float32
	inputs     [][]float32
}

func newMixture(n, k int) mixture {
	m := mixture{x: noise(n, 100), weights: make([]float32, k), inputs: make([][]float32, k)}
	for j := range k {
		m.inputs[j] = noise(n, uint64(j))
		m.weights[j] = float32(j+1) / float32(k*k+1)
	}
	return m
}

func TestMixEqualsItsDumbTwin(t *testing.T) {
	t.Parallel()
	for k := range 12 {
		for _, n := range []int{0, 1, 7, 2047, 2048, 2049, 5000} {
			m := newMixture(n, k)
			before := vec.Clone(m.x)
			got := vec.Mix(nil, m.x, m.weights, m.inputs)
			bitsEqual(t, got, dumbMix(m.x, m.weights, m.inputs))
			bitsEqual(t, m.x, before)
		}
	}
}

func TestMixRangeIsTheSameHoweverItIsSplit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9000).Draw(t, "n")
		m := newMixture(n, rapid.IntRange(0, 9).Draw(t, "k"))
		dst := noise(n, 7) // a reused vector holds anything
		for lo := 0; lo < n; {
			hi := lo + rapid.IntRange(1, n-lo).Draw(t, "length")
			vec.MixRange(dst, m.x, m.weights, m.inputs, vec.Range{Lo: lo, Hi: hi})
			lo = hi
		}
		bitsEqual(t, dst, dumbMix(m.x, m.weights, m.inputs))
	})
}

func TestMixRangeWritesItsRangeOnly(t *testing.T) {
	t.Parallel()
	m := newMixture(10, 3)
	dst := make([]float32, 10)
	vec.MixRange(dst, m.x, m.weights, m.inputs, vec.Range{Lo: 4, Hi: 6})
	for i, v := range dst {
		if inside := i == 4 || i == 5; inside == (v == 0) {
			t.Errorf("element %d is %v", i, v)
		}
	}
}

func TestMixWritesToTheVectorItIsGiven(t *testing.T) {
	t.Parallel()
	m := newMixture(10, 3)
	dst := make([]float32, 10)
	if got := vec.Mix(dst, m.x, m.weights, m.inputs); &got[0] != &dst[0] {
		t.Error("a vector was given and another one returned")
	}
}

// TestConsensusIsAFixedPoint: peers that agree stay where they are, to the bit, whatever the weights.
func TestConsensusIsAFixedPoint(t *testing.T) {
	t.Parallel()
	x := noise(3000, 1)
	for k := 1; k < 9; k++ {
		m := newMixture(len(x), k)
		for j := range m.inputs {
			m.inputs[j] = x
		}
		bitsEqual(t, vec.Mix(nil, x, m.weights, m.inputs), x)
	}
}

// TestMixKeepsTheMean: two peers with the same weight for each other move towards one another by the
// same amount.
func TestMixKeepsTheMean(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := vectors(t, 2)
		w := []float32{rapid.Float32Range(0, 1).Draw(t, "w")}
		a := vec.Mix(nil, v[0], w, [][]float32{v[1]})
		b := vec.Mix(nil, v[1], w, [][]float32{v[0]})
		for i := range a {
			before, after := float64(v[0][i])+float64(v[1][i]), float64(a[i])+float64(b[i])
			scale := math.Abs(float64(v[0][i])) + math.Abs(float64(v[1][i]))
			if math.Abs(before-after) > 4e-7*scale {
				t.Fatalf("sum of element %d goes from %v to %v", i, before, after)
			}
		}
	})
}

// BenchmarkMix prints the time of a mix alone and, as x-copy, the same as a multiple of copying as many
// bytes as the mix must move (it reads k+1 vectors and writes one; a copy reads one and writes one).
// 1.0 would be the speed of memory.
func BenchmarkMix(b *testing.B) {
	for _, n := range []int{1e6, 1e7} {
		for _, k := range []int{2, 4, 8} {
			b.Run(fmt.Sprintf("n=%.0e/k=%d", float64(n), k), func(b *testing.B) {
				m := newMixture(n, k)
				dst := make([]float32, n)
				var mixing, copying time.Duration
				for b.Loop() {
					start := time.Now()
					vec.Mix(dst, m.x, m.weights, m.inputs)
					mixed := time.Now()
					copyAll(dst, m)
					mixing += mixed.Sub(start)
					copying += time.Since(mixed)
				}
				b.ReportMetric(float64(mixing.Nanoseconds())/float64(b.N), "ns/op")
				b.ReportMetric(float64(mixing)/float64(copying), "x-copy")
			})
		}
	}
}

// copyAll moves as many bytes as a mix: half of k+2 vectors are copied.
func copyAll(dst []float32, m mixture) {
	for j := range (len(m.inputs) + 2) / 2 {
		copy(dst, m.inputs[j])
	}
}

// BenchmarkAxpy is one message added at a time, against a copy of the same vector.
func BenchmarkAxpy(b *testing.B) {
	const n = 1e7
	x, dst := noise(n, 1), noise(n, 2)
	var adding, copying time.Duration
	for b.Loop() {
		start := time.Now()
		vec.Axpy(dst, 0.5, x)
		added := time.Now()
		copy(dst, x)
		adding += added.Sub(start)
		copying += time.Since(added)
	}
	b.ReportMetric(float64(adding.Nanoseconds())/float64(b.N), "ns/op")
	b.ReportMetric(float64(adding)/float64(copying), "x-copy")
}
