package consensus

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
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
	measured(t)
	for _, o := range []Options{{Recipe: "sgp"}, {Recipe: "sgp", Overlap: 2}} {
		for _, factor := range []float64{1, 4} {
			if got, _ := pull(t, o, factor, 3_000_000); math.Abs(got-1) > 0.03 {
				t.Errorf("%s, %v times slower: %.4f, want 1", describe(o), factor, got)
			}
		}
	}
	for _, overlap := range []int{0, 2} {
		o := Options{Recipe: "sgp", Overlap: overlap}
		w := newNetwork(t, ring(6, 2), o, func(_ int, c *Config) { c.Params = []float32{0} })
		w.step, w.learn = jitter(2, map[Peer]float64{"a": 4}), towards(0.02, sixth)
		count := 0
		w.vanish = func(Peer, Peer) bool { count++; return count%5 == 0 }
		w.run(3_000_000)
		if got := w.peers["c"].Params()[0]; math.Abs(float64(got)-1) > 0.1 {
			t.Errorf("overlap %d, a fifth lost: %.4f, want 1", overlap, got)
		}
		a, c := w.peers["a"].rule.(*sgp).weight, w.peers["c"].rule.(*sgp).weight
		if overlap == 0 && a < 2*c {
			t.Errorf("the slow peer has the weight %.3f, another %.3f", a, c)
		}
	}
}

// The paper's claim turned round: with a constant step the fast decide. One of six that is four times slower
// then counts 1 of 21, not 1 of 6. Compose warns.
func TestPushSumWithAConstantStepIsBiased(t *testing.T) {
	warned := compose(t, Options{Recipe: "sgp", RateCap: 1})
	if len(warned.Warnings) != 1 || !strings.HasPrefix(warned.Warnings[0].ID, "W010") {
		t.Errorf("rate_cap 1: %v", warned.Warnings)
	}
	if got, _ := pull(t, warned.Options, 4, 3_000_000); math.Abs(got-6.0/21) > 0.02 {
		t.Errorf("rate_cap 1 settles at %.4f, want %.4f", got, 6.0/21)
	}
	if got, _ := pull(t, Options{Recipe: "sgp", RateCap: 2}, 4, 3_000_000); math.Abs(got-6*2.0/22) > 0.03 {
		t.Errorf("rate_cap 2 settles at %.4f, want %.4f", got, 6*2.0/22)
	}
	if got, _ := pull(t, Options{Recipe: "sgp"}, 10, 3_000_000); math.Abs(got-1) > 0.05 {
		t.Errorf("ten times slower: %.4f, want 1", got)
	}
}

// post carries parts of mass between six peers in rounds. It returns whether a part arrives.
type post func(from, to int, round uint64, amount, weight float64) (float64, float64)

// pushes runs the paper's push-sum in rounds, with the updates of sixth, and returns all weight that is left and
// the largest estimate.
func pushes(rounds uint64, carry post) (weight, largest float64) {
	g := ring(6, 2)
	x, w := make(table, 6), table{1, 1, 1, 1, 1, 1}
	for round := uint64(1); round <= rounds; round++ {
		z := make(table, 6)
		for i := range z {
			z[i] = x[i] / w[i]
		}
		x = x.plus(1, z.step())
		nextX, nextW := make(table, 6), make(table, 6)
		for i := range 6 {
			nextX[i], nextW[i] = nextX[i]+x[i]/5, nextW[i]+w[i]/5
			for _, j := range g.Neighbours(i) {
				amount, more := carry(i, j, round, x[i]/5, w[i]/5)
				nextX[j], nextW[j] = nextX[j]+amount, nextW[j]+more
			}
		}
		x, w = nextX, nextW
		weight, largest = 0, 0
		for i := range 6 {
			weight, largest = weight+w[i], max(largest, math.Abs(x[i]/w[i]))
		}
	}
	return weight, largest
}

// Where a message that is lost takes its mass with it, the weights go to nothing and estimates out of all
// bounds. The same losses do nothing to the same peers over ledgers.
func TestPushSumOverLossyLinks(t *testing.T) {
	lost := func(from, to int, round uint64) bool {
		return seed.Derive(7, "lost", fmt.Sprint(from, to, round))%5 == 0
	}
	weight, largest := pushes(400, func(from, to int, round uint64, amount, weight float64) (float64, float64) {
		if lost(from, to, round) {
			return 0, 0
		}
		return amount, weight
	})
	if weight > 1e-20 || largest < 1e6 {
		t.Errorf("lost mail: weight %v, largest estimate %v, want nothing and diverged", weight, largest)
	}
	var givers, takers [6][6]ledger
	weight, largest = pushes(400, func(from, to int, round uint64, amount, weight float64) (float64, float64) {
		giver, taker := &givers[from][to], &takers[from][to]
		giver.give(round, []float32{float32(amount)}, weight)
		if lost(from, to, round) {
			return 0, 0
		}
		more, reason := taker.take(giver.write(Estimate{Seq: round}))
		if reason != "" {
			t.Fatal(reason)
		}
		giver.answered(taker.seen)
		return float64(more.amount[0]), more.weight
	})
	if weight < 4 || weight > 6 || largest > 1.2 {
		t.Errorf("over ledgers: weight %v, largest estimate %v, want almost 6 and about 1", weight, largest)
	}
}

// No estimate leaves the range of those that peers start from, when nobody learns anything, whatever links
// and peers do: what is lost or counted twice goes with its weight.
func TestPushSumStaysWithinItsRange(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(2, 7).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		o := Options{Recipe: "sgp", Overlap: rapid.IntRange(0, 3).Draw(r, "overlap")}
		w := newNetwork(t, randomGraph(root, n), o, func(i int, c *Config) { c.Params = []float32{float32(i)} })
		w.step, w.latency = jitter(root, map[Peer]float64{"b": 3}), delays(root, 2500)
		count, every := 0, rapid.IntRange(2, 9).Draw(r, "lost")
		w.vanish = func(Peer, Peer) bool { count++; return count%every == 0 }
		flap(w, root, rapid.IntRange(0, 12).Draw(r, "flaps"))
		w.check = func(p Peer, m *Machine, ev Event, _ []Effect) {
			if x := m.Params()[0]; !(x >= -0.001 && x <= float32(n)-0.999) {
				r.Fatalf("%s is at %v after %s, the peers started from 0 to %d", p, x, ev, n-1)
			}
		}
		w.run(200_000)
	})
}
