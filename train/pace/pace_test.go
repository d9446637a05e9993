package pace_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/train/pace"
)

const step = 40 * time.Millisecond

func clock(t testing.TB, law pace.Law) *pace.Clock {
	t.Helper()
	c, err := pace.NewClock(law, seed.Stream(1, "pace", "peer"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// draws returns n times in units of step.
func draws(t testing.TB, law pace.Law, n int) []float64 {
	t.Helper()
	c := clock(t, law)
	times := make([]float64, n)
	for i := range times {
		times[i] = float64(c.Next()) / float64(step)
	}
	return times
}

// TestLaws compares mean, variance and bounds of 100,000 draws with the law, within five standard
// errors or so.
func TestLaws(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for _, c := range []struct {
		name                         string
		law                          pace.Law
		mean, deviation, least, most float64
	}{
		{"constant", pace.Law{}, 1, 0, 1, 1},
		{"slow", pace.Law{Factor: 10}, 10, 0, 10, 10},
		{"jitter", pace.Law{Jitter: 0.3}, 1, 0.3 / math.Sqrt(3), 0.7, 1.3},
		{"slow jitter", pace.Law{Jitter: 0.3, Factor: 2}, 2, 0.6 / math.Sqrt(3), 1.4, 2.6},
		{"exponential", pace.Law{Kind: "exponential"}, 1, 1, 0, inf},
		{"shifted", pace.Law{Kind: "shifted", Fixed: 0.8, Tail: 0.2}, 1, 0.2, 0.8, inf},
		{"occasional", pace.Law{Kind: "occasional", Probability: 0.1, Times: 10}, 1.9, 2.7, 1, 10},
		{"spark", pace.Law{Kind: "trace"}, 1, 0.3669, 663.0 / 962, 2802.0 / 961},
		{"trace", pace.Law{Kind: "trace", Trace: []pace.Quantile{{0, 5}, {1, 15}}}, 1, 1 / math.Sqrt(12), 0.5, 1.5},
	} {
		law := c.law
		law.Step = step
		times := draws(t, law, 100_000)
		sum, squares, least, most := 0.0, 0.0, inf, 0.0
		for _, v := range times {
			sum, squares = sum+v, squares+v*v
			least, most = min(least, v), max(most, v)
		}
		n := float64(len(times))
		mean, deviation := sum/n, math.Sqrt(max(0, squares/n-(sum/n)*(sum/n)))
		if math.Abs(mean-c.mean) > 0.016*c.deviation+1e-9 || math.Abs(deviation-c.deviation) > 0.03*c.deviation+1e-6 {
			t.Errorf("%s: mean %.4f deviation %.4f, want %.4f and %.4f", c.name, mean, deviation, c.mean, c.deviation)
		}
		if least < c.least-1e-6 || most > c.most+1e-6 {
			t.Errorf("%s: from %v to %v, want %v to %v", c.name, least, most, c.least, c.most)
		}
	}
}

func TestTraceHasItsQuantiles(t *testing.T) {
	t.Parallel()
	times := draws(t, pace.Law{Kind: "trace", Step: step}, 50_000)
	mean := 961.71 // of the piecewise linear law, by hand
	for _, q := range pace.Spark()[1:7] {
		below := 0
		for _, v := range times {
			if v <= q.Value/mean {
				below++
			}
		}
		if got := float64(below) / float64(len(times)); math.Abs(got-q.At) > 0.01 {
			t.Errorf("a share of %.3f is below the quantile %v", got, q.At)
		}
	}
}

func TestSlowFactorKeepsTheDraws(t *testing.T) {
	t.Parallel()
	law := pace.Law{Kind: "exponential", Step: step}
	want := draws(t, law, 30)
	c := clock(t, law)
	for i, w := range want {
		factor := 1.0
		if i >= 10 && i < 20 {
			factor = 4
		}
		c.Slow(factor)
		if got := float64(c.Next()) / float64(step); math.Abs(got-factor*w) > 1e-6*w+1e-6 {
			t.Errorf("step %d takes %v, want %v times %v", i, got, factor, w)
		}
	}
}

func TestTimesStayInRange(t *testing.T) {
	t.Parallel()
	c := clock(t, pace.Law{Kind: "exponential", Step: 24 * time.Hour, Factor: 10_000})
	c.Slow(math.Inf(1))
	if took := c.Next(); took <= 0 || took > 366*24*time.Hour {
		t.Errorf("a step takes %v", took)
	}
	for _, factor := range []float64{0, -1, math.NaN()} {
		c.Slow(factor)
		if took := c.Next(); took != 1 {
			t.Errorf("factor %v: a step takes %v, want the least time", factor, took)
		}
	}
}

func TestLawsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	falling := []pace.Quantile{{0, 3}, {0.5, 2}, {1, 4}}
	for want, law := range map[string]pace.Law{
		`unknown law of compute time "gauss"`: {Kind: "gauss", Step: step},
		"step time 0s":                        {},
		"step time 1ns":                       {Step: time.Nanosecond},
		"a step must take at least 1":         {Step: time.Second, Factor: 1e-9},
		"step time 48h":                       {Step: 48 * time.Hour},
		"jitter 2":                            {Step: step, Jitter: 2},
		"factor -1":                           {Step: step, Factor: -1},
		"factor NaN":                          {Step: step, Factor: math.NaN()},
		"probability 1.5":                     {Step: step, Probability: 1.5},
		"law shifted: set":                    {Step: step, Kind: "shifted"},
		"law occasional: set":                 {Step: step, Kind: "occasional", Probability: 0.1},
		"trace of 1 quantiles":                {Step: step, Kind: "trace", Trace: []pace.Quantile{{0, 1}}},
		"trace of 2 quantiles":                {Step: step, Kind: "trace", Trace: []pace.Quantile{{0, 1}, {0.9, 2}}},
		"quantile 0.5: quantiles must":        {Step: step, Kind: "trace", Trace: falling},
		"quantile 0: value 0":                 {Step: step, Kind: "trace", Trace: []pace.Quantile{{0, 0}, {1, 2}}},
	} {
		if _, err := pace.NewClock(law, seed.Stream(1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for _, kind := range pace.Kinds() {
		law := pace.Law{Kind: kind, Step: step, Tail: 1, Times: 2}
		if err := law.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// TestBitsAreTheSameOnEveryAmd64 compares times with those of another machine.
func TestBitsAreTheSameOnEveryAmd64(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("other architectures agree only with themselves")
	}
	h := fnv.New64a()
	for _, kind := range pace.Kinds() {
		law := pace.Law{Kind: kind, Step: step, Jitter: 0.2, Factor: 3}
		law.Fixed, law.Tail, law.Probability, law.Times = 0.7, 0.4, 0.2, 7
		c := clock(t, law)
		for range 5000 {
			if err := binary.Write(h, binary.LittleEndian, c.Next()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := h.Sum64(), uint64(0x4bc7a496919236cd); got != want {
		t.Errorf("hash %#x, want %#x", got, want)
	}
}
