package consensus

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

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
