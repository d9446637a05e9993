package consensus

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// reload sends a state through what a checkpoint does: JSON for the rest, vectors by name.
func reload(t testing.TB, s State) State {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back State
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	back.Vectors = s.Vectors
	return back
}

// A machine restored from a checkpoint continues identically: it is fed what the original is fed, and
// its effects are equal line by line.
func TestRestoredMachineContinuesIdentically(t *testing.T) {
	all := every()
	all["quorum-momentum"] = Options{Recipe: "quorum", Momentum: 0.5}
	for name, o := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) { continues(t, r, o) })
		})
	}
}

func continues(t *testing.T, r *rapid.T, o Options) {
	n, root := rapid.IntRange(1, 7).Draw(r, "peers"), rapid.Uint64().Draw(r, "seed")
	self := letters(n)[rapid.IntRange(0, n-1).Draw(r, "peer")]
	configs := map[Peer]Config{}
	w := newNetwork(t, randomGraph(root, n), o, func(i int, c *Config) {
		spread(i, c)
		c.SaveEvery = 4000
		configs[c.Self] = *c
	})
	w.step = jitter(root, map[Peer]float64{"b": rapid.Float64Range(0.5, 6).Draw(r, "slow")})
	w.latency = delays(root, 300)
	w.learn = towards(0.2, map[Peer][]float32{"a": {5, 5}, "b": {-5, 1}})
	var twin *Machine
	var behind Time // the twin's clock started later
	w.check = func(p Peer, m *Machine, ev Event, effects []Effect) {
		if p != self {
			return
		}
		if twin != nil {
			compareSteps(r, twin, w.now-behind, ev, effects)
		}
		if _, ok := saveOf(effects); ok {
			restored, err := Restore(configs[self], reload(t, m.State()))
			if err != nil {
				r.Fatal(err)
			}
			twin, behind = restored, w.now
			start := twin.Step(0, Wake{})
			if got, want := start[len(start)-1].String(), effects[len(effects)-1].String(); got != want {
				r.Fatalf("restored machine starts with %s, want %s", got, want)
			}
		}
	}
	w.run(40_000)
	if twin == nil {
		r.Fatal("nothing was saved in 40 blocks")
	}
}

func saveOf(effects []Effect) (Save, bool) {
	for _, e := range effects {
		if s, ok := e.(Save); ok {
			return s, true
		}
	}
	return Save{}, false
}

func compareSteps(r *rapid.T, twin *Machine, now Time, ev Event, effects []Effect) {
	var want, got []string
	for _, e := range effects {
		want = append(want, e.String())
	}
	for _, e := range twin.Step(now, ev) {
		got = append(got, e.String())
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		r.Fatalf("after %s the restored machine does\n%s\nthe original did\n%s", ev, a, b)
	}
}

func TestRestoreRefusesAnotherModel(t *testing.T) {
	w := newNetwork(t, ring(2, 1), Options{Recipe: "quorum"}, nil)
	s := w.peers["a"].State()
	c := w.peers["a"].config
	c.Params = []float32{1, 2, 3}
	if _, err := Restore(c, s); err == nil || !strings.Contains(err.Error(), "2 parameters, the model has 3") {
		t.Errorf("got %v", err)
	}
	c.Options.Recipe = "none"
	c.Params = []float32{1, 2}
	if _, err := Restore(c, s); err == nil {
		t.Error("an unknown recipe was restored")
	}
}

// A checkpoint that kept only the estimate is enough: the rest counts as missing.
func TestRestoreNeedsOnlyTheEstimate(t *testing.T) {
	for name, o := range every() {
		w := newNetwork(t, ring(5, 1), o, spread)
		w.step = jitter(1, map[Peer]float64{"b": 5})
		w.run(20_000)
		s := reload(t, w.peers["b"].State())
		s.Vectors = map[string][]float32{"estimate": s.Vectors["estimate"]}
		c := w.peers["b"].config
		c.Connected = nil
		restored, err := Restore(c, s)
		if err != nil {
			t.Fatal(err)
		}
		w.kill("b", 10)
		w.run(25_000)
		w.dead["b"] = false
		w.peers["b"] = restored
		w.at(w.now, "b", Wake{})
		for _, n := range w.neighbours("b") {
			w.at(w.now+5, n, Joined{Peer: "b"})
			w.at(w.now+7, "b", Joined{Peer: n})
		}
		before := restored.Round()
		w.run(120_000)
		if restored.Round() < before+5 {
			t.Errorf("%s: restored in round %d, now in %d", name, before, restored.Round())
		}
		for _, f := range restored.Params() {
			if math.IsNaN(float64(f)) {
				t.Errorf("%s: %v", name, restored.Params())
			}
		}
	}
}
