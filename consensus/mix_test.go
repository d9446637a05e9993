package consensus

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
)

// mixedOf returns the mix among the effects.
func mixedOf(t testing.TB, effects []Effect) Mixed {
	t.Helper()
	for _, e := range effects {
		if m, ok := e.(Mixed); ok {
			return m
		}
	}
	t.Fatalf("nothing was mixed: %v", effects)
	return Mixed{}
}

// Whom a peer mixes, by mix set: a has b (new), c (old), d (never heard), e (not live).
func TestWhomAPeerMixes(t *testing.T) {
	for name, c := range map[string]struct {
		o       Options
		used    []Peer
		missing []Peer
		fresh   int
	}{
		"latest":  {Options{Recipe: "quorum", Quorum: 1}, []Peer{"b", "c"}, []Peer{"d"}, 1},
		"fresh":   {Options{Recipe: "quorum", Quorum: 1, Mix: Fresh}, []Peer{"b"}, []Peer{"c", "d"}, 1},
		"backup":  {Options{Recipe: "backup", Mix: Latest, Fraction: 0.3}, []Peer{"b", "c"}, []Peer{"d"}, 1},
		"dpsgd":   {Options{Recipe: "dpsgd", Timeout: 10}, []Peer{"b"}, []Peer{"c", "d"}, 1},
		"barrier": {Options{Recipe: "barrier", Timeout: 10}, []Peer{"b"}, []Peer{"c", "d"}, 1},
	} {
		m := published(t, c.o)
		m.view.find("d").replica = replica{}
		m.view.unlink("e")
		say(m, 1001, "b")
		effects := m.effects
		if m.Round() == 0 {
			effects = m.Step(1010, Wake{})
		}
		mixed := mixedOf(t, effects)
		var used []Peer
		fresh := 0
		for _, s := range mixed.Used {
			used = append(used, s.Peer)
			if s.Fresh {
				fresh++
			}
		}
		if !equalPeers(used, c.used) || !equalPeers(mixed.Missing, c.missing) || fresh != c.fresh {
			t.Errorf("%s: used %v, missing %v, %d fresh", name, used, mixed.Missing, fresh)
		}
	}
}

func equalPeers(a, b []Peer) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Weights come from the live degree here and the degree told there, so no row exceeds one, whatever a
// neighbour tells.
func TestWeightsFromDegrees(t *testing.T) {
	for _, c := range []struct {
		mine, theirs int
		want         float64
	}{{4, 4, 0.2}, {4, 2, 0.2}, {4, 9, 0.1}, {1, 1, 0.5}, {0, 0, 0.5}, {2, -7, 1. / 3}, {3, 0, 0.25}} {
		if got := metropolis(c.mine, c.theirs); got != c.want {
			t.Errorf("%d and %d: %v, want %v", c.mine, c.theirs, got, c.want)
		}
	}
}

// blend is x + sum w (in - x), and a mix makes a new vector.
func TestBlendMakesANewVector(t *testing.T) {
	m := published(t, Options{Recipe: "quorum"})
	x, in := []float32{1, 2, 3}, []float32{5, 2, -1}
	m.x = x
	got := m.blend(m.x, []float32{0.25}, [][]float32{in})
	if got[0] != 2 || got[1] != 2 || got[2] != 2 || x[0] != 1 || in[0] != 5 {
		t.Errorf("got %v from %v and %v", got, x, in)
	}
}

func TestDeltas(t *testing.T) {
	x, from, to := []float32{10, 20}, []float32{1, 2}, []float32{3, 1}
	for name, c := range map[string]struct{ got, want []float32 }{
		"move":       {moveBy(x, 2, from, to), []float32{14, 18}},
		"difference": {difference(0.5, from, to), []float32{1, -0.5}},
		"add":        {add(x, 3, to), []float32{19, 23}},
	} {
		if c.got[0] != c.want[0] || c.got[1] != c.want[1] {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if x[0] != 10 || from[0] != 1 || to[0] != 3 {
		t.Error("an argument was written")
	}
}

// When the estimate moved during the block, what the block learned is added to where it is now.
func TestUpdateIsAddedToAMovedEstimate(t *testing.T) {
	m := published(t, Options{Recipe: "quorum"})
	m.block.snapshot, m.x = []float32{1}, []float32{5}
	m.block.moved = true
	m.advance(Trained{Params: []float32{4}}, 1)
	if m.x[0] != 8 {
		t.Errorf("at %v, want 5 + (4 - 1)", m.x)
	}
	m.block.moved = false
	params := []float32{7}
	m.advance(Trained{Params: params}, 1)
	if &m.x[0] != &params[0] {
		t.Error("the trainer's vector was copied although nothing moved")
	}
	m.advance(Trained{Params: params}, 2)
	if m.x[0] != 7+2*(7-1) {
		t.Errorf("scaled: at %v", m.x)
	}
}

// momentum against its definition in float64.
func TestMomentumTwin(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		stream := seed.Stream(rapid.Uint64().Draw(r, "seed"), "momentum")
		beta := rapid.Float64Range(0.1, 0.95).Draw(r, "beta")
		m := published(t, Options{Recipe: "quorum", Momentum: beta})
		q := &momentum{beta: float32(beta)}
		x, v := 1.0, 0.0
		m.x = []float32{1}
		for range 20 {
			start, learned, pulled := x, stream.NormFloat64(), stream.NormFloat64()
			m.block.snapshot = m.x
			m.x = []float32{m.x[0] + float32(learned)}
			q.push(m)
			x += learned + beta*v
			m.x = []float32{m.x[0] + float32(pulled)} // the mix
			x += pulled
			q.learn(m)
			v = beta*v + (1-beta)*(x-start)
			if math.Abs(float64(m.x[0])-x) > 1e-3*(1+math.Abs(x)) {
				r.Fatalf("at %v, by definition %v", m.x[0], x)
			}
		}
	})
}

// Influence against a plain computation of its definition.
func TestInfluenceTwin(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		root := rapid.Uint64().Draw(r, "seed")
		w := newNetwork(t, ring(6, 2), Options{Recipe: "quorum"}, nil)
		w.step = jitter(root, map[Peer]float64{"d": 5})
		share, own, last, some, period := map[Peer]float64{}, 0.0, Time(0), false, 0.0
		w.check = func(p Peer, m *Machine, _ Event, effects []Effect) {
			for _, e := range effects {
				mixed, ok := e.(Mixed)
				if !ok || p != "c" {
					continue
				}
				since, gain, self := float64(w.now-last), 1.0, 1.0
				if some {
					period += 0.2 * (since - period)
					gain = since / (since + 20*period)
				} else {
					period = since // the first block began at 0
				}
				last, some = w.now, true
				counts := map[Peer]float64{}
				for _, s := range mixed.Used {
					self -= float64(s.Weight)
					counts[s.Peer] = float64(s.Weight) / (1 + max(0, float64(s.Age)-2*period)/period)
				}
				sum := 0.0
				for _, n := range m.view.neighbours {
					share[n.name] += gain * (counts[n.name] - share[n.name])
					sum += share[n.name]
				}
				own += gain * (self - own)
				sum += own
				for _, got := range mixed.Influence {
					want := share[got.Peer] / sum
					if got.Peer == "c" {
						want = own / sum
					}
					if math.Abs(got.Value-want) > 1e-3 {
						r.Fatalf("%s: %v, want %v", got.Peer, got.Value, want)
					}
				}
			}
		}
		w.run(40_000)
		if !some {
			r.Fatal("c never mixed")
		}
	})
}
