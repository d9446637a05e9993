package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var infinite = math.Inf(1)

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{3, 1}, 2},
		{[]float64{3, 1, 2}, 2},
		{[]float64{1, infinite, 2}, 2},
		{[]float64{1, infinite}, infinite},
		{[]float64{infinite, infinite, 2}, infinite},
	} {
		if got := median(c.values); got != c.want {
			t.Errorf("median of %v: %v, want %v", c.values, got, c.want)
		}
	}
	if got := median(nil); !math.IsNaN(got) {
		t.Errorf("median of nothing: %v", got)
	}
}

// chance is the probability that the median of a sample of n values, n odd, drawn with replacement from n
// different ones, is not above the k lowest of them: more than half of the draws are among these.
func chance(n, k int) float64 {
	p, total := float64(k)/float64(n), 0.0
	for hits := n/2 + 1; hits <= n; hits++ {
		ways := 1.0
		for i := range hits {
			ways *= float64(n-i) / float64(i+1)
		}
		total += ways * math.Pow(p, float64(hits)) * math.Pow(1-p, float64(n-hits))
	}
	return total
}

// TestBootstrapAgreesWithExactChances: the bootstrap distribution of a median is known in closed form, so
// the ends of the interval are known wherever chance leaves no doubt about them.
func TestBootstrapAgreesWithExactChances(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 5, 7, 11, 13, 19} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i + 1)
		}
		want := 1
		for chance(n, want) < 0.025 {
			want++
		}
		if below := chance(n, want-1); below > 0.018 || chance(n, want) < 0.032 {
			t.Fatalf("n = %d is no good case: %v, %v", n, below, chance(n, want))
		}
		low, high := bootstrap(values, stream("test"))
		if low != float64(want) || high != float64(n+1-want) {
			t.Errorf("1 to %d: interval %v to %v, want %d to %d", n, low, high, want, n+1-want)
		}
	}
}

func TestBootstrapCoversTheMedian(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	const trials = 400
	covered := 0
	for range trials {
		values := make([]float64, 21)
		for i := range values {
			values[i] = random.NormFloat64()
		}
		if low, high := bootstrap(values, random); low <= 0 && 0 <= high {
			covered++
		}
	}
	if share := float64(covered) / trials; share < 0.90 || share > 0.99 {
		t.Errorf("%v of the intervals hold the true median, want about 0.95", share)
	}
}

func TestBootstrapCountsWhatWasNotReachedAsInfinite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ values, want []float64 }{
		{[]float64{4, 4, 4, 4}, []float64{4, 4}},
		{[]float64{infinite, infinite}, []float64{infinite, infinite}},
		{[]float64{1, 2, infinite}, []float64{1, infinite}},
		{[]float64{1, 1, 1, 1, 1, 1, 1, 1, infinite}, []float64{1, 1}}, // one late run of nine is no matter
	} {
		low, high := bootstrap(c.values, stream("test"))
		if low != c.want[0] || high != c.want[1] {
			t.Errorf("%v: %v to %v, want %v", c.values, low, high, c.want)
		}
	}
}

func TestStreamsDependOnTheFigureAlone(t *testing.T) {
	t.Parallel()
	if stream("a", "b").Uint64() != stream("a", "b").Uint64() {
		t.Error("equal figures draw differently")
	}
	if stream("a", "b").Uint64() == stream("ab").Uint64() {
		t.Error("different figures draw equally")
	}
}

func TestBandOfCurvesWithOtherTimes(t *testing.T) {
	t.Parallel()
	b := bandOf([][]sample{
		{{0, 0}, {2, 2}, {4, 4}},
		{{1, 11}, {3, 13}},
		{{0, 100}, {4, 100}},
	})
	want := band{
		x: []float64{1, 2, 3}, low: []float64{1, 2, 3}, middle: []float64{11, 12, 13}, high: []float64{100, 100, 100},
	}
	for _, c := range [][2][]float64{{b.x, want.x}, {b.low, want.low}, {b.middle, want.middle}, {b.high, want.high}} {
		if !slices.Equal(c[0], c[1]) {
			t.Errorf("got %v, want %v", c[0], c[1])
		}
	}
	if b := bandOf([][]sample{{{0, 0}, {1, 1}}, {{2, 2}, {3, 3}}}); len(b.x) != 0 {
		t.Errorf("curves with no time in common: %v", b.x)
	}
	if b := bandOf([][]sample{{{0, 0}, {1, 1}}, nil}); len(b.x) != 0 {
		t.Errorf("a curve of nothing: %v", b.x)
	}
}

func TestThinKeepsTheEnds(t *testing.T) {
	t.Parallel()
	times := make([]float64, 12345)
	for i := range times {
		times[i] = float64(i)
	}
	kept := thin(times)
	if len(kept) != mostPoints || kept[0] != 0 || kept[len(kept)-1] != 12344 || !slices.IsSorted(kept) {
		t.Errorf("%d points from %v to %v", len(kept), kept[0], kept[len(kept)-1])
	}
}

func TestCumulative(t *testing.T) {
	t.Parallel()
	b := cumulative([]float64{-1, 0, 0, 3})
	for i, want := range []sample{{-2, 0}, {-1, 0}, {-1, 0.25}, {0, 0.25}, {0, 0.75}, {3, 0.75}, {3, 1}, {4, 1}} {
		if b.x[i] != want.x || b.middle[i] != want.y {
			t.Errorf("point %d: %v, %v, want %v", i, b.x[i], b.middle[i], want)
		}
	}
}

func TestTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		low, high float64
		want      []string
	}{
		{0, 20, []string{"0", "5", "10", "15", "20"}},
		{0.2, 0.98, []string{"0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}},
		{-430, 450, []string{"-400", "-200", "0", "200", "400"}},
		{3, 3, []string{"3"}},
	} {
		var got []string
		for _, tick := range (even{}).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: %q, want %q", c.low, c.high, got, c.want)
		}
	}
	var got []string
	for _, tick := range (decades{}).Ticks(0.07, 2.5) {
		got = append(got, tick.Label)
	}
	if want := []string{"0.1", "0.2", "0.5", "1", "2"}; !slices.Equal(got, want) {
		t.Errorf("decades: %q, want %q", got, want)
	}
}
