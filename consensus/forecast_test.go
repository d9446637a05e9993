package consensus

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/starling-ml/starling/internal/seed"
)

// forecaster is a machine that has seen so many times of each of its neighbours.
func forecaster(t *testing.T, neighbours, seen int, law func(*rand.Rand) float64) *Machine {
	t.Helper()
	m, err := New(Config{
		Self: "a", Members: letters(neighbours + 1), Graph: ring(neighbours+1, neighbours), Params: []float32{0},
		Options: Options{Recipe: "cutoff"}, Connected: letters(neighbours + 1)[1:],
	})
	if err != nil {
		t.Fatal(err)
	}
	stream := seed.Stream(3, "law")
	for _, n := range m.view.neighbours {
		n.live, n.arrivals = true, arrivals{some: true}
		for range seen {
			n.arrivals.times = push(n.arrivals.times, Duration(1e6*law(stream)), memory)
		}
	}
	return m
}

// The laws of the papers' tables, mean about 1.
var laws = map[string]func(*rand.Rand) float64{
	"exponential": (*rand.Rand).ExpFloat64,
	"shifted":     func(r *rand.Rand) float64 { return 0.8 + 0.2*r.ExpFloat64() },
	"normal":      func(r *rand.Rand) float64 { return 1 + 0.1*r.NormFloat64() },
	"outliers": func(r *rand.Rand) float64 {
		x := 0.9 + 0.2*r.Float64()
		if r.IntN(10) == 0 {
			x *= 10
		}
		return x
	},
}

// The paper's rule, c = argmax c/E[T_(c)], with 16 workers whose last 20 times were seen: what it gains over
// waiting for all is nearly what the best fixed cutoff gains in 20,000 draws (our table of the laws).
func TestCutoffGainsWhatTheBestGains(t *testing.T) {
	const workers = 16
	for name, want := range map[string]float64{"exponential": 3.36, "shifted": 1.10, "normal": 1.00, "outliers": 5.52} {
		m := forecaster(t, workers, memory, laws[name])
		c := bestCount(0, m.expectedArrivals(), func(heard int) float64 { return float64(heard) })
		stream, sums := seed.Stream(9, name), make([]float64, workers)
		for range 20_000 {
			times := make([]float64, workers)
			for i := range times {
				times[i] = laws[name](stream)
			}
			slices.Sort(times)
			for i, x := range times {
				sums[i] += x
			}
		}
		gained := float64(c) / sums[c-1] / (workers / sums[workers-1])
		t.Logf("%s: waits for %d, gain %.2f, best %.2f", name, c, gained, want)
		if gained < 0.9*want || gained > 1.05*want {
			t.Errorf("%s: waiting for %d gains %.2f, the best %.2f", name, c, gained, want)
		}
	}
}

// The order statistics of exp(1) are H_n - H_(n-c).
func TestForecastsAreOrderStatistics(t *testing.T) {
	const n = 8
	sums := make([]float64, n)
	const trials = 400
	stream := seed.Stream(3, "trials")
	for range trials {
		m := forecaster(t, n, 1, laws["exponential"])
		for _, neighbour := range m.view.neighbours {
			neighbour.arrivals.times = nil
			for range memory {
				neighbour.arrivals.note(neighbour.arrivals.last + Time(1e6*stream.ExpFloat64()))
			}
			neighbour.arrivals.last = 0
		}
		for i, d := range m.expectedArrivals() {
			sums[i] += float64(d) / 1e6 / trials
		}
	}
	harmonic := 0.0
	for c := 1; c <= n; c++ {
		harmonic += 1 / float64(n-c+1)
		if math.Abs(sums[c-1]-harmonic) > 0.05*harmonic {
			t.Errorf("%d of %d are expected after %.3f, want %.3f", c, n, sums[c-1], harmonic)
		}
	}
}

// The paper's censoring: a neighbour that is silent takes longer than that, and one that was never silent for so
// long is expected to be silent as long again.
func TestSilenceIsEvidence(t *testing.T) {
	a := arrivals{some: true, last: 100, times: []Duration{50, 200, 900}}
	for _, c := range []struct {
		now  Time
		want []Duration
	}{
		{100, []Duration{50, 200, 900}}, {150, []Duration{150, 850}}, {500, []Duration{500}}, {1100, []Duration{1000}},
	} {
		if got := a.remaining(c.now); !slices.Equal(got, c.want) {
			t.Errorf("at %d: %v, want %v", c.now, got, c.want)
		}
	}
}

func TestBestCount(t *testing.T) {
	count := func(heard int) float64 { return float64(heard + 1) }
	for _, c := range []struct {
		spent Duration
		times []Duration
		value func(int) float64
		want  int
	}{
		{1000, []Duration{0, 0, 9000}, count, 2},                             // the third is not worth nine blocks
		{1000, []Duration{0, 100, 200}, count, 3},                            // all are nearly there
		{0, []Duration{0, 0}, count, 2},                                      // no time is no division by zero
		{1000, []Duration{0, 0, 9000}, func(int) float64 { return -1 }, 3},   // nothing is gained: all
		{1000, []Duration{100, 200, 300}, func(int) float64 { return 1 }, 1}, // more is worth nothing
		{1000, []Duration{0, 0, 0}, func(int) float64 { return 1 }, 3},       // and costs nothing
		{1000, []Duration{0, 0, 9000}, func(h int) float64 { return 1e9 }, 2},
	} {
		if got := bestCount(c.spent, c.times, c.value); got != c.want {
			t.Errorf("%d spent, arrivals %v: %d, want %d", c.spent, c.times, got, c.want)
		}
	}
}

// Throughput is what cutoff is for: with peers that are sometimes ten times slower it trains much more than dpsgd,
// and nothing is lost where all are equally fast. Slow peers do not make the number go down and down.
func TestCutoffTrainsMore(t *testing.T) {
	steps := func(recipe string, slow bool) (sum uint64) {
		w := newNetwork(t, ring(8, 2), Options{Recipe: recipe}, nil)
		usual := jitter(7, nil)
		w.step = func(p Peer, block uint64) Duration {
			if slow && seed.Derive(7, "slow", string(p), string(rune(block)))%10 == 0 {
				return 10 * usual(p, block)
			}
			return usual(p, block)
		}
		w.run(300_000)
		for _, m := range w.peers {
			sum += m.Steps()
		}
		return sum
	}
	if cutoff, dpsgd := steps("cutoff", true), steps("dpsgd", true); cutoff < 2*dpsgd {
		t.Errorf("with outliers cutoff takes %d steps, dpsgd %d", cutoff, dpsgd)
	}
	if cutoff, dpsgd := steps("cutoff", false), steps("dpsgd", false); cutoff < dpsgd*98/100 {
		t.Errorf("without outliers cutoff takes %d steps, dpsgd %d", cutoff, dpsgd)
	}
}

// A peer that is always slow keeps its place: the others do not wait for it, and its word stays in the mixes.
func TestForecastsLeaveTheSlowBehind(t *testing.T) {
	for _, recipe := range []string{"cutoff", "dbw"} {
		w := newNetwork(t, ring(6, 2), Options{Recipe: recipe}, nil)
		w.step = jitter(2, map[Peer]float64{"b": 10})
		far := map[Peer][]float32{}
		for _, p := range w.names {
			far[p] = []float32{1000, 1000}
		}
		w.learn = towards(0.001, far)
		w.run(300_000)
		for p, m := range w.peers {
			if blocks := m.Round(); p != "b" && blocks < 250 {
				t.Errorf("%s: %s closed %d rounds of 300", recipe, p, blocks)
			}
			if n := m.view.find("b"); n != nil && n.used == 0 {
				t.Errorf("%s: %s never mixed the slow peer", recipe, p)
			}
		}
	}
}
