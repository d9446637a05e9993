package estimate

import (
	"math"
	"testing"
)

// near checks a figure to within a share of it.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*math.Abs(want)+1e-12) {
		t.Errorf("%s: %.6g, want %.6g to within %g", what, got, want, share)
	}
}

// exponential has mean 1.
func exponential() spread {
	return spreadOf(0, 25, func(t float64) float64 { return 1 - math.Exp(-max(0, t)) })
}

// uniform is even from 0 to 2.
func uniform() spread {
	return spreadOf(0, 2, func(t float64) float64 { return min(1, max(0, t/2)) })
}

// harmonic is H_n, the mean of the largest of n exponentials.
func harmonic(n int) float64 {
	sum := 0.0
	for i := 1; i <= n; i++ {
		sum += 1 / float64(i)
	}
	return sum
}

func TestSlowestOfHasTheMeanOfOrderStatistics(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 5, 100} {
		largest := slowestOf(several{of: exponential(), count: float64(n)})
		near(t, "of exponentials", largest.mean(), harmonic(n), .002)
		largest = slowestOf(several{of: uniform(), count: float64(n)})
		near(t, "of even times", largest.mean(), 2*float64(n)/float64(n+1), .002)
	}
	mixed := slowestOf(several{of: always(3), count: 1}, several{of: uniform(), count: 7})
	near(t, "with one that is always later", mixed.mean(), 3, 1e-6)
}

func TestSumsKeepMeansAndSpreads(t *testing.T) {
	t.Parallel()
	sum := exponential().repeated(7)
	near(t, "mean of a sum", sum.mean(), 7, .002)
	square := 0.0
	for k, m := range sum.mass {
		off := sum.from + float64(k)*sum.step - 7
		square += m * off * off
	}
	near(t, "variance of a sum", square, 7, .02)
	near(t, "a sum of what does not vary", always(.2).repeated(5).mean(), 1, 1e-9)
	near(t, "a fixed time and one that varies", always(.5).plus(uniform()).mean(), 1.5, .002)
	near(t, "an average", exponential().averaged().mean(), 1, .01)
}

func TestBoundsMoveTheMean(t *testing.T) {
	t.Parallel()
	near(t, "at least 1", uniform().atLeast(1).mean(), 1.25, .003)
	near(t, "at most 1", uniform().atMost(1).mean(), .75, .003)
	near(t, "at least 5", uniform().atLeast(5).mean(), 5, 1e-9)
	near(t, "at most 0", uniform().atMost(0).mean(), 0, 1e-9)
}

// What is left of an exponential time is exponential; of a fixed one, even.
func TestLeftIsTheLawOfResidualLife(t *testing.T) {
	t.Parallel()
	for _, at := range []float64{.1, .5, 1, 3} {
		near(t, "exponential", exponential().left()(at), 1-math.Exp(-at), .01)
	}
	for _, at := range []float64{.5, 1, 1.5} {
		near(t, "fixed", always(2).left()(at), at/2, .01)
	}
	near(t, "after the longest", always(2).left()(2.1), 1, 1e-9)
}

func TestOrderStatistics(t *testing.T) {
	t.Parallel()
	near(t, "two of three", orderStatistic(.5, 2, 3), .5, 1e-9)
	near(t, "one of two", orderStatistic(.1, 1, 2), .19, 1e-9)
	near(t, "none", orderStatistic(0, 0, 3), 1, 0)
	near(t, "more than there are", orderStatistic(1, 4, 3), 0, 0)
	near(t, "of two groups", atLeast(2, group{1, .5}, group{2, .5}), .5, 1e-9)
}
