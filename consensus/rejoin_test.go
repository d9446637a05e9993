package consensus

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
)

// Links that come and go, seen at different times by their two ends, stop nobody for good.
func TestProgressOverFlappingLinks(t *testing.T) {
	for name, o := range every() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				n, root := rapid.IntRange(2, 7).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
				// Under carry a peer that was cut off trains all rounds that its inbox can hold.
				w := newNetwork(t, randomGraph(root, n), o, func(_ int, c *Config) { c.MaxAhead = 8 })
				w.step = jitter(root, map[Peer]float64{"b": rapid.Float64Range(0.5, 5).Draw(r, "slow")})
				w.latency = delays(root, 900)
				flap(w, root, rapid.IntRange(1, 12).Draw(r, "flaps"))
				w.run(150_000)
				before := map[Peer]uint64{}
				for p, m := range w.peers {
					before[p] = m.Round()
				}
				w.run(300_000)
				for p, m := range w.peers {
					if m.Round() < before[p]+5 {
						r.Fatalf("%s closed %d rounds and then only %d more", p, before[p], m.Round()-before[p])
					}
				}
			})
		})
	}
}

// flap takes links down and up again. Messages on the way when a link goes down are lost.
func flap(w *network, root uint64, times int) {
	stream := seed.Stream(root, "flaps")
	edges := w.graph.Edges()
	for range times {
		e := edges[stream.IntN(len(edges))]
		a, b := w.names[e.U], w.names[e.V]
		down, up := Time(stream.IntN(50_000)), Time(60_000+stream.IntN(30_000))
		w.call(down, func() { w.cut[[2]Peer{a, b}], w.cut[[2]Peer{b, a}] = true, true })
		w.at(down+Time(stream.IntN(3000)), a, Left{Peer: b})
		w.at(down+Time(stream.IntN(3000)), b, Left{Peer: a})
		w.call(up, func() { delete(w.cut, [2]Peer{a, b}); delete(w.cut, [2]Peer{b, a}) })
		w.at(up+Time(stream.IntN(3000)), a, Joined{Peer: b})
		w.at(up+Time(stream.IntN(3000)), b, Joined{Peer: a})
	}
}

// A newcomer starts from its neighbours' average and soon counts like everybody else.
func TestNewcomerJoinsARunUnderWay(t *testing.T) {
	for name, o := range every() {
		w := newNetwork(t, ring(6, 1), o, nil)
		w.learn = func(_ Peer, x []float32, steps int) { x[0] += float32(steps) }
		c := w.peers["c"].config
		w.kill("c", 10)
		w.run(100_000)
		c.Join, c.Connected = true, nil
		w.dead["c"] = false
		w.add(c)
		for _, n := range w.neighbours("c") {
			w.at(w.now+5, n, Joined{Peer: "c"})
			w.at(w.now+7, "c", Joined{Peer: n})
		}
		others := w.peers["d"].Params()[0]
		w.run(w.now + 500)
		if got := w.peers["c"].Params()[0]; got < others/2 {
			t.Errorf("%s: newcomer starts from %v, its neighbours have %v", name, got, others)
		}
		before := w.rounds["c"]
		w.run(w.now + 60_000)
		if w.rounds["c"] < before+5 {
			t.Errorf("%s: newcomer closed %d rounds in 60 blocks", name, w.rounds["c"]-before)
		}
	}
}
