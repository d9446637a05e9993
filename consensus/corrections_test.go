package consensus

import (
	"math"
	"slices"
	"strings"
	"testing"

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

// table is the estimates of some peers, in the order of their names.
type table []float64

// times returns sum_j w_ij x_j with the Metropolis weights of a graph whose peers have equal degrees; lazy
// takes (I+W)/2.
func (x table) times(g *topology.Graph, lazy bool) table {
	y := make(table, len(x))
	for i := range x {
		w := metropolis(g.Degree(i), g.Degree(i))
		if lazy {
			w /= 2
		}
		y[i] = x[i]
		for _, j := range g.Neighbours(i) {
			y[i] += float64(w * (x[j] - x[i]))
		}
	}
	return y
}

// plus returns x + scale*y.
func (x table) plus(scale float64, y table) table {
	z := make(table, len(x))
	for i := range x {
		z[i] = x[i] + float64(scale*y[i])
	}
	return z
}

// step returns what one local step towards the data of sixth adds.
func (x table) step() table {
	d := make(table, len(x))
	for i, p := range letters(len(x)) {
		d[i] = 0.02 * (float64(sixth[p][0]) - x[i])
	}
	return d
}

// follows runs six peers from 0, 1, 4, 9, ... and compares the estimates after every round with those of
// an equation.
func follows(t *testing.T, o Options, next func(x table) table) {
	t.Helper()
	g := ring(6, 2)
	w := newNetwork(t, g, o, func(i int, c *Config) { c.Params = []float32{float32(i * i)} })
	w.step, w.learn = jitter(3, nil), towards(0.02, sixth)
	rounds := []table{{0, 1, 4, 9, 16, 25}}
	for range 60 {
		rounds = append(rounds, next(rounds[len(rounds)-1]))
	}
	compared := 0
	w.check = func(p Peer, m *Machine, _ Event, effects []Effect) {
		for _, e := range effects {
			if seen, ok := e.(Mixed); ok && seen.Round < 60 {
				compared++
				got, want := float64(m.Params()[0]), rounds[seen.Round+1][slices.Index(w.names, p)]
				if math.Abs(got-want) > 2e-5 {
					t.Fatalf("%s: round %d of %s ends at %.6f, want %.6f", describe(o), seen.Round, p, got, want)
				}
			}
		}
	}
	w.run(500_000)
	if compared != 6*60 {
		t.Errorf("%d rounds were compared, want 360", compared)
	}
}

// away stops peer c at a time and brings it back later as the machine that revive makes of its config and of its
// state when it was last seen.
func away(t *testing.T, o Options, revive func(c Config, s State) (*Machine, error)) *network {
	t.Helper()
	w := newNetwork(t, ring(6, 2), o, func(_ int, c *Config) { c.Params = []float32{0} })
	w.step, w.learn = jitter(2, nil), towards(0.02, sixth)
	var old State
	w.call(150_000, func() { old = reload(t, w.peers["c"].State()) })
	w.call(190_000, func() { w.kill("c", 3000) })
	w.call(260_000, func() {
		c := w.peers["c"].config
		c.Connected = nil
		m, err := revive(c, old)
		if err != nil {
			t.Fatal(err)
		}
		w.dead["c"], w.peers["c"] = false, m
		w.at(w.now, "c", Wake{})
		for i, n := range w.neighbours("c") {
			w.at(w.now+Time(5+900*i), n, Joined{Peer: "c"})
			w.at(w.now+Time(7+500*i), "c", Joined{Peer: n})
		}
	})
	return w
}

// A peer that crashes and is restarted from an older state, or comes back with nothing, does not move the
// optimum for good: corrections start again, and mass is weighed.
func TestCorrectionsAfterARestart(t *testing.T) {
	measured(t)
	for _, o := range []Options{
		{Recipe: "d2"},
		{Recipe: "gt", LocalSteps: 2},
		{Recipe: "gt", RunningSums: true},
		{Recipe: "sgp"},
		{Recipe: "sgp", Overlap: 2},
	} {
		tolerance := 1e-4
		if o.Recipe == "sgp" {
			tolerance = 0.1 // the peers stay that far apart
		}
		for name, revive := range map[string]func(Config, State) (*Machine, error){
			"from its state": Restore,
			"as a newcomer": func(c Config, _ State) (*Machine, error) {
				c.Join = true
				return New(c)
			},
		} {
			w := away(t, o, revive)
			w.run(3_000_000)
			for p, m := range w.peers {
				if got := float64(m.Params()[0]); math.Abs(got-1) > tolerance {
					t.Errorf("%s, %s: %s is at %.6f, want 1", o.Recipe, name, p, got)
				}
			}
		}
	}
}

// What Compose refuses goes wrong when it is run all the same: with full weights that change from round to round
// d2 diverges, trackers that free runners share in pairs miss each other, robust rules drop what sums consist of,
// a gamma keeps mass back.
func TestRefusedCorrectionsFail(t *testing.T) {
	matching := topology.ScheduleSpec{Kind: "matching"}
	for _, c := range []struct {
		o      Options
		slower float64 // peer a
		least  float64 // off the optimum
	}{
		{Options{Recipe: "d2", FullW: true, Schedule: matching}, 1, 1e6},
		{Options{Recipe: "d2", FullW: true, Schedule: topology.ScheduleSpec{Kind: "cells", Size: 2}}, 1, 1e6},
		{Options{Recipe: "d2", Robust: NNA}, 4, 0.5},
		{Options{Recipe: "d2", Robust: Clip}, 4, 0.5},
		{Options{Recipe: "gt", RunningSums: true, Schedule: matching}, 1, 0.1},
		{Options{Recipe: "sgp", Robust: Trim}, 4, 0.5},
		{Options{Recipe: "sgp", Robust: NNA}, 4, 0.5},
		{Options{Recipe: "sgp", Gamma: 0.5}, 4, 0.1},
	} {
		if off := reckless(t, c.o, c.slower); off < c.least {
			t.Errorf("%s is only %.4f off", describe(c.o), off)
		}
	}
}
