package consensus

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The paper's outer step with one pair: v = a v + b D, x += v, and each of the two moves by half of b times what is
// between their slow weights, which enters the velocity too.
func TestOuterStepOfAPair(t *testing.T) {
	o := Options{Recipe: "noloco", LocalSteps: 3, OuterRate: 0.5, OuterMoment: 0.25, RateCap: 1}
	m, err := New(Config{
		Self: "a", Members: letters(2), Graph: ring(2, 1), Params: []float32{0}, Options: o, Connected: []Peer{"b"},
	})
	if err != nil {
		t.Fatal(err)
	}
	train := func(at Time, block uint64, to float32) {
		m.Step(at, Trained{Block: block, Params: []float32{to}, Steps: 3})
	}
	at := func(when string, want, velocity float32) {
		t.Helper()
		if got := m.rule.(*noloco).velocity; m.Params()[0] != want || got[0] != velocity {
			t.Errorf("%s: slow weights %v, velocity %v, want %v and %v", when, m.Params(), got, want, velocity)
		}
	}
	m.Step(0, Wake{})
	train(1000, 1, 8)
	at("a block of 8", 4, 4) // b D
	m.Step(1100, Received{From: "b", Message: Estimate{Seq: 1, Answer: 1, Params: []float32{20}}})
	at("an answer", 8, 8) // 0.25 (20-4)
	m.Step(1200, Received{From: "b", Message: Estimate{Seq: 2, Weight: halfway, Params: []float32{-8}}})
	at("an ask", 4, 4)
	train(2000, 2, 4) // trained from 4: nothing learned
	at("a block of nothing", 5, 1)
	if !slices.Equal(m.State().Vectors["velocity"], []float32{1}) {
		t.Errorf("saved velocity: %v", m.State().Vectors["velocity"])
	}
}

// Ours: exchanges keep the mean of the slow weights and that of the velocities, whoever is busy and however long
// messages take; so without training the mean ends where its velocity carries it, x + a/(1-a) v.
func TestExchangesKeepTheMeanOfSlowWeights(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(2, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		a := rapid.Float64Range(0.1, 0.9).Draw(r, "a")
		o := Options{Recipe: "noloco", LocalSteps: 2, RateCap: 1, OuterMoment: a}
		w := newNetwork(t, randomGraph(root, n), o, func(i int, c *Config) {
			spread(i, c)
			c.Seed = root
		})
		w.latency = delays(root, rapid.IntRange(1, 5000).Draw(r, "delay"))
		w.call(1, func() { w.sent = map[string]int{} })
		before := mean(w)
		w.last = 30
		w.run(1_000_000)
		after := mean(w)
		for _, m := range w.peers {
			for k, v := range m.rule.(*noloco).velocity {
				after[k] += a / (1 - a) * float64(v) / float64(n)
			}
		}
		if math.Abs(after[0]-before[0]) > 1e-3 || math.Abs(after[1]-before[1]) > 1e-3 {
			r.Fatalf("the mean goes from %v to %v", before, after)
		}
		if w.sent["Estimate"] < 2*n {
			r.Fatalf("%d estimates were sent in 30 blocks of %d peers", w.sent["Estimate"], n)
		}
	})
}

// The paper's pairs are uniform, and pairs of whoever is ready make classes of one speed that never mix: here
// every peer asks each of its neighbours equally often, whoever is slow.
func TestPartnersAreDrawnWhateverTheirSpeed(t *testing.T) {
	w := newNetwork(t, ring(6, 2), Options{Recipe: "noloco", LocalSteps: 2}, nil)
	w.step = jitter(2, map[Peer]float64{"b": 6, "c": 6})
	asks := map[Peer]map[Peer]int{}
	w.check = func(p Peer, _ *Machine, _ Event, effects []Effect) {
		for _, e := range effects {
			if s, ok := e.(Send); ok && s.Message.(Estimate).Weight > 0 {
				if asks[p] == nil {
					asks[p] = map[Peer]int{}
				}
				asks[p][s.To]++
			}
		}
	}
	w.run(2_000_000)
	for _, p := range w.names {
		sum := 0
		for _, n := range w.neighbours(p) {
			sum += asks[p][n]
		}
		for _, n := range w.neighbours(p) {
			share := float64(asks[p][n]) / float64(sum)
			if math.Abs(share-0.25) > 4*math.Sqrt(0.25*0.75/float64(sum)) {
				t.Errorf("%s asked %s in %.2f of its %d exchanges, want a quarter", p, n, share, sum)
			}
		}
	}
}

// The paper's claims: a message each way in many local steps, and outer momentum gets there sooner than averages
// in pairs alone.
func TestOuterMomentumIsFaster(t *testing.T) {
	left := func(o Options) (gap float64, sent int) {
		w := newNetwork(t, ring(6, 1), o, nil)
		w.step = jitter(4, nil)
		points := map[Peer][]float32{}
		for _, p := range w.names {
			points[p] = []float32{10, -10}
		}
		w.learn = towards(0.005, points)
		w.run(240_000)
		return math.Abs(mean(w)[0] - 10), w.sent["Estimate"]
	}
	noloco, sent := left(Options{Recipe: "noloco"})
	pairs, same := left(Options{Recipe: "adpsgd", LocalSteps: 8})
	_, often := left(Options{Recipe: "adpsgd"})
	t.Logf("left: noloco %.3f, pairs alone %.3f; %d estimates, %d with blocks of a step", noloco, pairs, sent, often)
	if noloco > 0.8*pairs || sent > same*11/10 || sent > often/6 {
		t.Errorf("%.3f left, without momentum %.3f; %d estimates sent, %d, %d", noloco, pairs, sent, same, often)
	}
}

// Ours: with updates in proportion to 1/rate the optimum stays nearly where it is; without, the fast decide.
func TestNolocoKeepsTheOptimum(t *testing.T) {
	const slower = 2
	scaled := settledMean(t, Options{Recipe: "noloco", LocalSteps: 2}, slower)
	plain := settledMean(t, Options{Recipe: "noloco", LocalSteps: 2, RateCap: 1}, slower)
	t.Logf("scaled %.3f, plain %.3f", scaled, plain)
	if math.Abs(scaled-1) > 0.12 || plain > 0.7 {
		t.Errorf("settles at %.3f, without scaling at %.3f; the optimum is 1", scaled, plain)
	}
}

func TestDefaultsOfNoloco(t *testing.T) {
	got := compose(t, Options{Recipe: "noloco"}).Options
	want := Options{
		Recipe: "noloco", LocalSteps: 8, OuterRate: 0.7, OuterMoment: 0.5, RateCap: 2, TimeoutFactor: 20,
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
