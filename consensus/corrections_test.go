package consensus

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/topology"
)

// sixth is the data of six peers of which a pulls to 6 and the others to 0; the optimum is 1.
var sixth = map[Peer][]float32{"a": {6}, "b": {0}, "c": {0}, "d": {0}, "e": {0}, "f": {0}}

// exactly fails unless all estimates settle at the optimum together, with peer a so many times slower.
func exactly(t *testing.T, o Options, factor, tolerance float64) {
	t.Helper()
	got, apart := pull(t, o, factor, 3_000_000)
	if math.Abs(got-1) > tolerance || apart > tolerance {
		t.Errorf("%s, %v times slower: %.6f and %.6f apart, want 1 and nothing within %v",
			describe(o), factor, got, apart, tolerance)
	}
}

// The paper's claim (D2, theorem 2 and its remarks): the bias of different data is gone. Plain dpsgd with the
// same step keeps its peers apart.
func TestD2IsExact(t *testing.T) {
	exactly(t, Options{Recipe: "d2"}, 1, 1e-3)
	exactly(t, Options{Recipe: "d2", LocalSteps: 4}, 1, 1e-3)
	exactly(t, Options{Recipe: "d2"}, 3, 1e-3)
	if _, apart := pull(t, Options{Recipe: "dpsgd"}, 1, 1_500_000); apart < 0.1 {
		t.Errorf("dpsgd leaves its peers %.4f apart, want them clearly apart", apart)
	}
}

// circulantWith returns a graph whose weights have about that smallest eigenvalue.
func circulantWith(t *testing.T, least float64) *topology.Graph {
	t.Helper()
	for n := 6; n < 25; n++ {
		for reach := 1; reach <= n/2; reach++ {
			for skip := range reach {
				g := topology.New(n)
				for v := range n {
					for _, k := range []int{reach, skip} {
						if u := (v + k) % n; u != v && !g.Has(u, v) {
							if err := g.Add(u, v, 1); err != nil {
								t.Fatal(err)
							}
						}
					}
				}
				if got, ok := topology.SmallestEigenvalue(g); ok && math.Abs(got-least) < 0.005 && len(g.Components()) == 1 {
					return g
				}
			}
		}
	}
	t.Fatalf("no circulant graph has the eigenvalue %v", least)
	return nil
}

// The paper's assumption 1: it diverges where W has an eigenvalue of -0.40, and not at -0.32. Compose knows the
// bound; (I+W)/2 is above it on every graph.
func TestD2NeedsEigenvaluesAboveAThird(t *testing.T) {
	largest := func(g *topology.Graph, o Options) float64 {
		w := newNetwork(t, g, Options{Recipe: "dpsgd"}, spread)
		for name, m := range w.peers {
			c := m.config
			var err error
			if w.peers[name], err = assemble(c, lookup("d2").complete(o)); err != nil {
				t.Fatal(err)
			}
		}
		w.run(300_000)
		most := 0.0
		for _, m := range w.peers {
			most = max(most, math.Abs(float64(m.Params()[0])))
		}
		return most
	}
	full := Options{Recipe: "d2", FullW: true}
	bad, good := circulantWith(t, -0.40), circulantWith(t, -0.32)
	if got := largest(bad, full); got < 1e4 {
		t.Errorf("at -0.40 the largest estimate is %v, want it diverged", got)
	}
	if _, err := Compose(full, bad); err == nil || !strings.Contains(err.Error(), "eigenvalue -0.4") {
		t.Errorf("at -0.40: %v", err)
	}
	if got := largest(good, full); got > 1e3 {
		t.Errorf("at -0.32 the largest estimate is %v", got)
	}
	if _, err := Compose(full, good); err != nil {
		t.Error(err)
	}
	if got := largest(bad, Options{Recipe: "d2"}); got > 1e3 {
		t.Errorf("(I+W)/2: the largest estimate is %v", got)
	}
}

func TestComposeOfCorrections(t *testing.T) {
	matching := topology.ScheduleSpec{Kind: "matching"}
	for want, o := range map[string]Options{
		"same weights in all rounds": {Recipe: "d2", Schedule: matching},
		"conserved sums":             {Recipe: "gt", Robust: NNA},
		"rounds in step":             {Recipe: "gt", RunningSums: true, Schedule: matching},
		"sums":                       {Recipe: "sgp", Robust: Trim},
		"whole":                      {Recipe: "d2", Momentum: 0.5},
	} {
		if _, err := Compose(o, ring(6, 2)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", describe(o), err, want)
		}
	}
	if _, err := Compose(Options{Recipe: "gt", Schedule: matching}, ring(6, 2)); err != nil {
		t.Error(err)
	}
}

// VRL-SGD and K-GT: the drift of local steps is gone, which dpsgd with as many keeps.
func TestTrackingRemovesTheDriftOfLocalSteps(t *testing.T) {
	for _, steps := range []int{1, 4, 16} {
		exactly(t, Options{Recipe: "gt", LocalSteps: steps}, 1, 1e-3)
	}
	exactly(t, Options{Recipe: "gt", Schedule: topology.ScheduleSpec{Kind: "matching"}}, 1, 1e-3)
	if _, apart := pull(t, Options{Recipe: "dpsgd", LocalSteps: 4}, 1, 1_500_000); apart < 0.4 {
		t.Errorf("dpsgd with four local steps leaves its peers %.4f apart", apart)
	}
}

// R-FAST: exact without waiting, whoever is slow, and with a fifth of all estimates lost.
func TestRunningSumsAreExact(t *testing.T) {
	sums := Options{Recipe: "gt", RunningSums: true}
	for _, factor := range []float64{1, 4, 10} {
		exactly(t, sums, factor, 1e-4)
	}
	for _, silent := range []bool{false, true} {
		w := newNetwork(t, ring(6, 2), sums, func(_ int, c *Config) { c.Params = []float32{0} })
		w.step, w.learn = jitter(2, map[Peer]float64{"a": 4}), towards(0.02, sixth)
		count := 0
		lose := func(Peer, Peer) bool { count++; return count%5 == 0 }
		if silent {
			w.vanish = lose
		} else {
			w.lose = lose
		}
		w.run(3_000_000)
		for p, m := range w.peers {
			if got := float64(m.Params()[0]); math.Abs(got-1) > 1e-3 {
				t.Errorf("a fifth lost, silently %v: %s is at %.5f, want 1", silent, p, got)
			}
		}
	}
}

// Mass is neither made nor lost: what peers have, and what was given and not counted, adds up to N.
func TestPushSumKeepsItsMass(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(2, 8).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		w := newNetwork(t, randomGraph(root, n), Options{Recipe: "sgp"}, spread)
		w.step, w.latency = jitter(root, map[Peer]float64{"b": 4}), delays(root, 3000)
		count, every := 0, rapid.IntRange(2, 9).Draw(r, "lost")
		w.vanish = func(Peer, Peer) bool { count++; return count%every == 0 }
		w.run(200_000)
		weight, sum, want := 0.0, 0.0, 0.0
		for i, p := range w.names {
			m := w.peers[p]
			mass := m.rule.(*sgp).weight
			weight, sum = weight+mass, sum+mass*float64(m.Params()[0])
			want += float64(i * i)
			for _, n := range m.view.neighbours {
				weight, sum = weight+n.ledger.due.weight, sum+first(n.ledger.due.amount)
				way := n.ledger.underWay(&w.peers[n.name].view.find(p).ledger)
				weight, sum = weight+way.weight, sum+first(way.amount)
			}
		}
		if math.Abs(weight-float64(n)) > 1e-9 || math.Abs(sum-want) > 1e-4*max(1, want) {
			r.Fatalf("weight %v of %d, sum %v, want %v", weight, n, sum, want)
		}
	})
}

// underWay returns what the other end of a link has not counted yet.
func (l *ledger) underWay(other *ledger) gift {
	way := l.sum()
	for i := len(other.taken) - 1; i >= 0; i-- {
		if i == len(other.taken)-1 {
			way = way.less(other.taken[i])
		}
		if other.taken[i].seq == l.base { // the end counts from an earlier one still
			way.weight += other.taken[i].weight
			way.amount = plus(way.amount, other.taken[i].amount)
		}
	}
	return way
}

func first(x []float32) float64 {
	if x == nil {
		return 0
	}
	return float64(x[0])
}

// Whoever is slow, the optimum stays: mass gathers in proportion to 1/rate, and updates count by it. Waiting
// for those behind is exact too. Messages that are lost move nothing.
func TestPushSumKeepsTheOptimum(t *testing.T) {
	for _, o := range []Options{{Recipe: "sgp"}, {Recipe: "sgp", Overlap: 2}} {
		for _, factor := range []float64{1, 4} {
			if got, _ := pull(t, o, factor, 3_000_000); math.Abs(got-1) > 0.03 {
				t.Errorf("%s, %v times slower: %.4f, want 1", describe(o), factor, got)
			}
		}
	}
	w := newNetwork(t, ring(6, 2), Options{Recipe: "sgp"}, func(_ int, c *Config) { c.Params = []float32{0} })
	w.step, w.learn = jitter(2, map[Peer]float64{"a": 4}), towards(0.02, sixth)
	count := 0
	w.vanish = func(Peer, Peer) bool { count++; return count%5 == 0 }
	w.run(3_000_000)
	if got := w.peers["c"].Params()[0]; math.Abs(float64(got)-1) > 0.1 {
		t.Errorf("a fifth lost: %.4f, want 1", got)
	}
	if a, c := w.peers["a"].rule.(*sgp).weight, w.peers["c"].rule.(*sgp).weight; a < 2*c {
		t.Errorf("the slow peer has the weight %.3f, another %.3f", a, c)
	}
}

// What one end takes is what the other gave, whatever is lost or repeated on the way.
func TestLedgersLoseNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var giver, taker ledger
		given, taken := 0.0, 0.0
		for seq := uint64(1); seq <= 60; seq++ {
			amount := float64(rapid.IntRange(-9, 9).Draw(r, "amount"))
			giver.give(seq, []float32{float32(amount)}, amount)
			given += amount
			e := giver.write(Estimate{Seq: seq})
			for range rapid.IntRange(0, 2).Draw(r, "arrives") {
				if more, reason := taker.take(e); reason == "" {
					taken += more.weight
					if float64(more.amount[0]) != more.weight {
						r.Fatalf("took %v with the weight %v", more.amount, more.weight)
					}
				}
			}
			if rapid.Bool().Draw(r, "answers") {
				giver.answered(taker.seen)
			}
		}
		if more, reason := taker.take(giver.write(Estimate{Seq: 61})); reason == "" {
			taken += more.weight
		}
		if taken != given {
			r.Fatalf("%v was given and %v taken", given, taken)
		}
	})
	// One end that has lost its memory starts anew at both.
	var giver, taker ledger
	giver.give(1, []float32{2}, 1)
	if _, reason := taker.take(giver.write(Estimate{Seq: 1})); reason != "" {
		t.Fatal(reason)
	}
	giver.answered(1)
	giver.give(2, []float32{3}, 1)
	taker = ledger{}
	if _, reason := taker.take(giver.write(Estimate{Seq: 2})); reason != ReasonNoBase {
		t.Errorf("a sum on what is not there: %q", reason)
	}
	giver.answered(0)
	if more, reason := taker.take(giver.write(Estimate{Seq: 3})); reason != "" || more.weight != 1 {
		t.Errorf("a sum on nothing: %v, %q", more, reason)
	}
}

// A peer that dies takes its correction with it. The others notice, agree on a round in which all forget theirs,
// and settle at the optimum of those that are left.
func TestCorrectionsStartAgainWithoutTheDead(t *testing.T) {
	for _, o := range []Options{{Recipe: "d2"}, {Recipe: "gt", LocalSteps: 2}, {Recipe: "gt", RunningSums: true}} {
		w := newNetwork(t, ring(6, 2), o, func(_ int, c *Config) { c.Params = []float32{0} })
		w.step = jitter(2, nil)
		w.learn = towards(0.02, map[Peer][]float32{"a": {6}, "b": {0}, "c": {4}, "d": {0}, "e": {0}, "f": {0}})
		w.call(200_000, func() { w.kill("a", 3000) })
		left := []Peer{"b", "c", "d", "e", "f"}
		for i, p := range left {
			w.at(Time(210_000+700*i), p, Rewired{Epoch: 1, Members: left, Graph: ring(5, 2)})
		}
		w.run(2_000_000)
		for _, p := range left {
			if got := float64(w.peers[p].Params()[0]); math.Abs(got-0.8) > 2e-3 {
				t.Errorf("%s: %s is at %.5f, want 0.8", o.Recipe, p, got)
			}
		}
	}
}
