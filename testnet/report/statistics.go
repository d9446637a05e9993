package report

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/starling-ml/starling/internal/seed"
)

// resamples is how often the bootstrap draws.
const resamples = 2000

// median is the middle value, or the mean of both. A time that was not reached counts as infinite.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return sorted[middle-1]/2 + sorted[middle]/2
}

// bootstrap returns the 95 % interval of the median by the percentile method: the medians of samples drawn
// with replacement, without the lowest and the highest 2.5 % of them (Efron, 1979).
func bootstrap(values []float64, random *rand.Rand) (low, high float64) {
	medians := make([]float64, resamples)
	sample := make([]float64, len(values))
	for i := range medians {
		for k := range sample {
			sample[k] = values[random.IntN(len(values))]
		}
		medians[i] = median(sample)
	}
	slices.Sort(medians)
	return quantile(medians, 0.025), quantile(medians, 0.975)
}

// stream is the source of the bootstrap of one figure. It depends on nothing but what the figure is of.
func stream(path ...string) *rand.Rand { return seed.Stream(1, append([]string{"report"}, path...)...) }

// quantile is the smallest of the sorted values that at least a share of them do not exceed.
func quantile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := int(math.Ceil(share*float64(len(sorted)))) - 1
	return sorted[min(max(at, 0), len(sorted)-1)]
}

// sample is one value of a curve.
type sample struct{ x, y float64 }

// band is what several curves have in common.
type band struct{ x, low, middle, high []float64 }

// mostPoints is how many points of a curve are drawn: more are not seen.
const mostPoints = 400

// bandOf returns the median and the range of curves, each sorted by x, where all of them are. Between their
// samples they are taken for straight.
func bandOf(curves [][]sample) band {
	var b band
	from, to := math.Inf(-1), math.Inf(1)
	var times []float64
	for _, curve := range curves {
		if len(curve) == 0 {
			return b
		}
		from, to = max(from, curve[0].x), min(to, curve[len(curve)-1].x)
		for _, s := range curve {
			times = append(times, s.x)
		}
	}
	times = slices.DeleteFunc(times, func(x float64) bool { return x < from || x > to })
	slices.Sort(times)
	values := make([]float64, len(curves))
	for _, x := range thin(slices.Compact(times)) {
		for i, curve := range curves {
			values[i] = at(curve, x)
		}
		b.x, b.middle = append(b.x, x), append(b.middle, median(values))
		b.low, b.high = append(b.low, slices.Min(values)), append(b.high, slices.Max(values))
	}
	return b
}

// thin keeps at most mostPoints of some times, the first and the last among them.
func thin(times []float64) []float64 {
	if len(times) <= mostPoints {
		return times
	}
	kept := make([]float64, mostPoints)
	for i := range kept {
		kept[i] = times[i*(len(times)-1)/(mostPoints-1)]
	}
	return kept
}

// at is the value of a curve at a place within it.
func at(curve []sample, x float64) float64 {
	i, found := slices.BinarySearchFunc(curve, x, func(s sample, x float64) int {
		switch {
		case s.x < x:
			return -1
		case s.x > x:
			return 1
		default:
			return 0
		}
	})
	if found || i == 0 {
		return curve[min(i, len(curve)-1)].y
	}
	if i == len(curve) {
		return curve[i-1].y
	}
	a, b := curve[i-1], curve[i]
	return a.y + (b.y-a.y)*(x-a.x)/(b.x-a.x)
}
