package consensus

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The paper's step: at the end of a block the peer and one neighbour have the average of the two.
func TestAPairHasItsAverage(t *testing.T) {
	w := newNetwork(t, ring(2, 1), Options{Recipe: "adpsgd"}, spread)
	w.step = func(p Peer, _ uint64) Duration { return map[Peer]Duration{"a": 1000, "b": 50_000}[p] }
	w.run(1005)
	if a, b := w.peers["a"].Params(), w.peers["b"].Params(); a[0] != 0 || b[0] != 1 {
		t.Fatalf("moved before anything arrived: %v, %v", a, b)
	}
	w.run(1500)
	for _, p := range w.names {
		if x := w.peers[p].Params(); x[0] != 0.5 || x[1] != 8.5 {
			t.Errorf("%s has %v, the average is [0.5 8.5]", p, x)
		}
	}
}

// Ours: whoever is busy, whatever was learned while an exchange was under way and in whatever order
// messages arrive, the two moves of an exchange cancel. What is left of the mean's movement is the updates.
func TestExchangesKeepTheMean(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, root := rapid.IntRange(2, 9).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
		w := newNetwork(t, randomGraph(root, n), Options{Recipe: "adpsgd", RateCap: 1}, func(i int, c *Config) {
			spread(i, c)
			c.Seed = root
		})
		w.step = jitter(root, map[Peer]float64{"b": rapid.Float64Range(0.2, 8).Draw(r, "slow")})
		w.latency = delays(root, rapid.IntRange(1, 5000).Draw(r, "delay"))
		learned, midBlock := 0.0, 0
		w.learn = func(_ Peer, x []float32, _ int) {
			x[0] += 0.25
			learned += 0.25 / float64(n)
		}
		w.check = func(_ Peer, _ *Machine, _ Event, effects []Effect) {
			for _, e := range effects {
				if m, ok := e.(Mixed); ok && m.MidBlock {
					midBlock++
				}
			}
		}
		before := mean(w)
		w.last = 20
		w.run(1_000_000)
		after := mean(w)
		if math.Abs(after[0]-before[0]-learned) > 1e-4*(1+learned) || math.Abs(after[1]-before[1]) > 1e-4 {
			r.Fatalf("the mean went from %v to %v, learned was %v", before, after, learned)
		}
		if midBlock < 2*n {
			r.Fatalf("%d mixes by %d peers in 20 blocks", midBlock, n)
		}
	})
}

// The paper's graph must be bipartite, or peers that wait for one another stop. Here a triangle whose
// peers all ask at once goes on: nobody waits, one exchange at a time is under way at each.
func TestExchangesDoNotDeadlock(t *testing.T) {
	w := newNetwork(t, ring(3, 1), Options{Recipe: "adpsgd"}, spread)
	w.latency = func(Peer, Peer) Duration { return 1700 } // longer than a block
	w.check = func(p Peer, m *Machine, _ Event, effects []Effect) {
		for _, e := range effects {
			if mixed, ok := e.(Mixed); ok && mixed.Waited > 0 {
				t.Errorf("%s waited", p)
			}
		}
	}
	w.run(100_000)
	for _, p := range w.names {
		if w.peers[p].Round() < 99 {
			t.Errorf("%s closed %d rounds in 100 blocks", p, w.peers[p].Round())
		}
		if x := w.peers[p].Params(); math.Abs(float64(x[0])-5.0/3) > 1e-3 {
			t.Errorf("%s has %v, the average is 1.667", p, x)
		}
	}
}

// exchanging is a machine a that has asked b for an average at 1000, as seq 1.
func exchanging(t *testing.T) *Machine {
	t.Helper()
	m, err := New(Config{
		Self: "a", Members: letters(2), Graph: ring(2, 1), Params: []float32{0},
		Options: Options{Recipe: "adpsgd"}, Connected: []Peer{"b"},
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Step(0, Wake{})
	if got := asked(m.Step(1000, Trained{Block: 1, Params: []float32{4}, Steps: 1})); got != 1 {
		t.Fatalf("asked %d times", got)
	}
	return m
}

// asked counts the averages that effects ask for.
func asked(effects []Effect) int {
	count := 0
	for _, e := range effects {
		if s, ok := e.(Send); ok && s.Message.(Estimate).Weight > 0 {
			count++
		}
	}
	return count
}

// One exchange at a time: the next one begins when this one is answered or will not be.
func TestLostAnswersAreGivenUp(t *testing.T) {
	answer := Received{From: "b", Message: Estimate{Seq: 1, Answer: 1, StepTime: 1000, Params: []float32{8}}}
	for name, c := range map[string]struct {
		before []Event
		block  uint64 // at whose end the next exchange begins
	}{
		"nothing happens": {nil, 21},
		"answered":        {[]Event{answer}, 2},
		"lost":            {[]Event{SendFailed{To: "b", Seq: 1}}, 2},
		"link down":       {[]Event{Left{Peer: "b"}, Joined{Peer: "b"}}, 2},
	} {
		m := exchanging(t)
		for _, ev := range c.before {
			m.Step(1500, ev)
		}
		block := uint64(2)
		for asked(m.Step(Time(1000*block), Trained{Block: block, Params: []float32{4}, Steps: 1})) == 0 && block < 99 {
			block++
		}
		if block != c.block {
			t.Errorf("%s: asks again at the end of block %d, want %d", name, block, c.block)
		}
	}
	m := exchanging(t)
	m.Step(1500, answer)
	if m.Params()[0] != 6 || !m.block.moved {
		t.Errorf("after the answer: %v", m.Params())
	}
	if effects := m.Step(1600, answer); effects[0].(Ignored).Reason != ReasonNoExchange || m.Params()[0] != 6 {
		t.Errorf("an answer counts twice: %v", effects)
	}
}

// A partner answers with its estimate from before, once, and greetings are not asked to average.
func TestPartnersAnswerOnce(t *testing.T) {
	m := exchanging(t)
	ask := Received{From: "b", Message: Estimate{Seq: 3, Weight: halfway, StepTime: 1000, Params: []float32{8}}}
	effects := m.Step(1500, ask)
	s, ok := effects[0].(Send)
	if e, _ := s.Message.(Estimate); !ok || e.Answer != 3 || e.Params[0] != 4 || m.Params()[0] != 6 {
		t.Errorf("answered %v and has %v", effects, m.Params())
	}
	for name, ev := range map[string]Event{
		"again":    ask,
		"older":    Received{From: "b", Message: Estimate{Seq: 2, Weight: halfway, Params: []float32{8}}},
		"greeting": Received{From: "b", Message: Estimate{Seq: 4, Params: []float32{8}}},
	} {
		if m.Step(1600, ev); m.Params()[0] != 6 {
			t.Errorf("%s: moved to %v", name, m.Params())
		}
	}
}

// A newcomer has nothing to average with: whoever asks it is answered, and neither moves.
func TestNewcomersMoveNobody(t *testing.T) {
	m, err := New(Config{
		Self: "a", Members: letters(3), Graph: ring(3, 1), Params: []float32{0}, Join: true,
		Options: Options{Recipe: "adpsgd"}, Connected: []Peer{"b", "c"},
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Step(0, Wake{})
	effects := m.Step(10, Received{From: "b", Message: Estimate{Seq: 3, Weight: halfway, Params: []float32{8}}})
	if e, _ := effects[0].(Send).Message.(Estimate); e.Answer != 3 || e.Params[0] != 8 {
		t.Errorf("answered %v", effects)
	}
	m.Step(20, Received{From: "c", Message: Estimate{Seq: 1, Params: []float32{4}}})
	if m.Params()[0] != 6 {
		t.Errorf("starts from %v, its neighbours' average is 6", m.Params())
	}
}

// Partners are drawn alike often, the slow one too, and another seed draws others.
func TestPartnersAreUniform(t *testing.T) {
	m := published(t, Options{Recipe: "adpsgd"})
	count, other := map[Peer]int{}, 0
	for i := range uint64(4000) {
		m.config.Seed = 1
		first := m.draw("adpsgd", i).name
		count[first]++
		m.config.Seed = 2
		if m.draw("adpsgd", i).name != first {
			other++
		}
	}
	for _, p := range letters(5)[1:] {
		if count[p] < 900 || count[p] > 1100 {
			t.Errorf("%s was drawn %d times of 4000, want about 1000", p, count[p])
		}
	}
	if other < 2700 || other > 3300 {
		t.Errorf("two seeds draw different partners %d times of 4000, want about 3000", other)
	}
}

// With a constant step the peers that update often decide; in proportion to 1/rate all count alike.
func TestStepInProportionToRarity(t *testing.T) {
	constant := settledMean(t, Options{Recipe: "adpsgd", RateCap: 1}, 4)
	capped := settledMean(t, Options{Recipe: "adpsgd"}, 4)
	if constant > 0.4 {
		t.Errorf("a constant step settles at %.3f, want about 0.29: 6/4 updates of 5 + 1/4", constant)
	}
	if math.Abs(capped-1) > 0.1 {
		t.Errorf("1/rate settles at %.3f, the optimum is 1", capped)
	}
}
