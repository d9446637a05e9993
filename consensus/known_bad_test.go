package consensus

import (
	"math"
	"testing"

	"github.com/starling-ml/starling/topology"
)

// reckless runs a set that Compose refuses, as pull does, and returns how far the average estimate settles
// from the optimum, 1. Infinity: it diverged.
func reckless(t *testing.T, o Options, factor float64) float64 {
	t.Helper()
	if _, err := Compose(o, ring(6, 2)); err == nil {
		t.Errorf("%s is accepted", describe(o))
	}
	r := lookup(o.Recipe)
	w := newNetwork(t, ring(6, 2), Options{Recipe: "dpsgd"}, func(_ int, c *Config) { c.Params = []float32{0} })
	for name, m := range w.peers {
		c := m.config
		c.Options = o
		m, err := assemble(c, r.complete(o))
		if err != nil {
			t.Fatal(err)
		}
		w.peers[name] = m
	}
	w.step = jitter(2, map[Peer]float64{"a": factor})
	w.learn = towards(0.02, map[Peer][]float32{"a": {6}, "b": {0}, "c": {0}, "d": {0}, "e": {0}, "f": {0}})
	const until = 1_500_000
	sum, count := 0.0, 0
	for at := Time(until / 2); at < until; at += 700 {
		w.run(at)
		for _, m := range w.peers {
			sum, count = sum+float64(m.Params()[0]), count+1
		}
	}
	if off := math.Abs(sum/float64(count) - 1); !math.IsNaN(off) {
		return off
	}
	return math.Inf(1)
}

// The rows of the table of known-bad combinations that no recipe's own test shows: what Compose refuses or
// warns about fails when it is run all the same, and the set that it names does not.
//
// Others are in corrector_test.go (mix fresh), local_test.go (unequal work), robust_test.go (attackers that
// answer first), and in the tests of the recipes whose sums must add up.
func TestKnownBadSetsFail(t *testing.T) {
	matching := topology.ScheduleSpec{Kind: "matching"}
	// Peers that run freely wait for mates of a round in which the others are not.
	if off := reckless(t, Options{Recipe: "quorum", Schedule: matching}, 1); off < 0.5 {
		t.Errorf("a schedule among free runners is only %.3f off", off)
	}
	if off, _ := pull(t, Options{Recipe: "dpsgd", Schedule: matching}, 1, 1_500_000); math.Abs(off-1) > 0.1 {
		t.Errorf("a schedule in step settles at %.3f, want 1", off)
	}
	// Updates that count as much as their batches scale the trackers' corrections with them.
	if off := reckless(t, Options{Recipe: "gt", Share: BySpeed}, 4); off < 0.3 {
		t.Errorf("tracked updates of divided work settle only %.3f off", off)
	}
	// A fixed share of mutual edges never hears a peer that is always slow.
	warned := compose(t, Options{Recipe: "backup", Late: Abort})
	if got, _ := pull(t, warned.Options, 4, 1_500_000); len(warned.Warnings) != 1 || got > 0.1 {
		t.Errorf("mutual without coverage settles at %.3f, want nearly 0; %v", got, warned.Warnings)
	}
	// With constant steps the fast decide in pairs.
	warned = compose(t, Options{Recipe: "adpsgd", RateCap: 1})
	if got, _ := pull(t, warned.Options, 4, 1_500_000); len(warned.Warnings) != 1 || got > 0.6 {
		t.Errorf("pairs with constant steps settle at %.3f, want clearly less than 1; %v", got, warned.Warnings)
	}
}

// Replicas of everybody are balanced: who updates rarely is in the mixes of others all the time. Steps
// enlarged by rate, which pairs need, put the slow peer's optimum in everybody's place; Compose refuses
// participation with replicas.
func TestRateScalingOverReplicasOvershoots(t *testing.T) {
	settle := func(enlarged float32) float64 {
		w := newNetwork(t, ring(6, 2), Options{Recipe: "swift"}, func(_ int, c *Config) { c.Params = []float32{0} })
		w.step = jitter(2, map[Peer]float64{"a": 4})
		points := map[Peer][]float32{"a": {6}, "b": {0}, "c": {0}, "d": {0}, "e": {0}, "f": {0}}
		slow, others := towards(0.02*enlarged, points), towards(0.02, points)
		w.learn = func(p Peer, x []float32, steps int) {
			if p == "a" {
				slow(p, x, steps)
			} else {
				others(p, x, steps)
			}
		}
		w.run(1_500_000)
		return float64(w.peers["b"].Params()[0])
	}
	if plain, scaled := settle(1), settle(4); math.Abs(plain-1) > 0.15 || scaled < 2 {
		t.Errorf("%.3f without scaling, want 1; %.3f with it, want 2 or more", plain, scaled)
	}
}
