package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/testnet/sim"
	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/train"
)

var everyRecipe = []string{"dpsgd", "barrier", "backup", "dybw", "quorum", "pulse"}

// busy is a network in which everything happens: random step times, one slow peer, links that take
// time and vary, mixing that takes time.
func busy(recipe string) lab {
	return lab{
		graph: circulant(8, 4), law: tenfold, laws: map[int]law{3: law(homogeneous).times(10)},
		params: []float32{1, 2, 3}, options: consensus.Options{Recipe: recipe}, seed: 7, mixCost: 0.02,
		link: sim.Link{Rate: 8 * 12 / 0.025, Latency: units(0.005), Jitter: units(0.002)},
		trainer: func(i int) train.Trainer {
			return &noisy{center: float32(i), random: seed.Stream(7, "noise", string(number(i)))}
		},
	}
}

// noisy trains F(w) = (w - center)^2 / 2 by noisy gradients.
type noisy struct {
	center float32
	random *rand.Rand
}

func (n *noisy) Step(params []float32) (float32, error) {
	return quadratic{center: n.center + float32(n.random.NormFloat64()), eta: 0.1}.Step(params)
}

func (*noisy) State() ([]byte, error) { return nil, nil }
func (*noisy) Restore([]byte) error   { return nil }

func TestOneSeedGivesOneHash(t *testing.T) {
	t.Parallel()
	for _, recipe := range everyRecipe {
		l := busy(recipe)
		first, second := l.run(t, 60), l.run(t, 60)
		if first.Hash() != second.Hash() || first.Events() != second.Events() {
			t.Errorf("%s: two runs of one seed differ", recipe)
		}
		l.seed++ // other step times
		if recipe != "barrier" && l.run(t, 60).Hash() == first.Hash() {
			t.Errorf("%s: another seed gives the same bits", recipe)
		}
	}
}

// Looking at a network on the way changes nothing.
func TestRunInPiecesIsRunAtOnce(t *testing.T) {
	t.Parallel()
	whole := busy("pulse").run(t, 50)
	pieces := busy("pulse").build(t)
	for at := 1; at <= 500; at++ {
		pieces.Run(consensus.Time(units(float64(at) / 10)))
	}
	if whole.Hash() != pieces.Hash() {
		t.Error("a run in pieces ends elsewhere than a run at once")
	}
}

// Stop ends a run after the event that is under way, for good.
func TestStop(t *testing.T) {
	t.Parallel()
	l := busy("quorum")
	var network *sim.Network
	l.observer = func(now consensus.Time, _ consensus.Peer, _ consensus.Event, _ []consensus.Effect) {
		if now >= at(10) {
			network.Stop()
		}
	}
	network = l.build(t)
	network.Run(at(50))
	stopped := network.Now()
	network.Run(at(60))
	if stopped < at(10) || stopped > at(12) || network.Now() != stopped {
		t.Errorf("stopped at %d, now at %d", stopped, network.Now())
	}
}

// planted sets the estimate once and then leaves it alone.
type planted struct{ start []float32 }

func (p *planted) Step(params []float32) (float32, error) {
	if p.start != nil {
		copy(params, p.start)
		p.start = nil
	}
	return 0, nil
}

func (*planted) State() ([]byte, error) { return nil, nil }
func (*planted) Restore([]byte) error   { return nil }

// Without delay and training, k rounds of dpsgd multiply the estimates by W to the k.
func TestRoundsWithoutTrainingArePowersOfW(t *testing.T) {
	t.Parallel()
	g := scattered(7, 11, 5)
	starts := make([]float64, g.N())
	l := lab{graph: g, law: constant, options: consensus.Options{Recipe: "dpsgd"}, params: []float32{0}}
	l.trainer = func(i int) train.Trainer {
		starts[i] = float64(i * i)
		return &planted{start: []float32{float32(i * i)}}
	}
	network := l.run(t, 12)
	want := starts
	for range int(rounds(network)) {
		want = multiply(g, want)
	}
	for i, m := range network.Live() {
		if math.Abs(float64(m.Params()[0])-want[i]) > 1e-4 {
			t.Errorf("peer %d is at %g, W^k x0 is %g", i, m.Params()[0], want[i])
		}
	}
}

// multiply returns W x for Metropolis weights, written from the definition.
func multiply(g *topology.Graph, x []float64) []float64 {
	out := slices.Clone(x)
	for i := range x {
		for _, j := range g.Neighbours(i) {
			out[i] += (x[j] - x[i]) / float64(1+max(g.Degree(i), g.Degree(j)))
		}
	}
	return out
}

// Doubling every duration changes no round, no byte and no bit.
func TestDoublingAllDurationsKeepsTheRounds(t *testing.T) {
	t.Parallel()
	for _, recipe := range everyRecipe {
		l := busy(recipe)
		l.link.Jitter = 0
		single := l.run(t, 60)
		l.link.Rate /= 2
		l.link.Latency *= 2
		l.law = l.law.times(2)
		l.laws = map[int]law{3: l.laws[3].times(2)}
		double := l.run(t, 120)
		if single.Hash() != double.Hash() {
			t.Errorf("%s: twice as slow a world gives another result", recipe)
		}
	}
}

// Giving the peers other names permutes the result, up to the rounding of sums in another order.
func TestRelabelledPeersPermuteTheResult(t *testing.T) {
	t.Parallel()
	for _, recipe := range []string{"dpsgd", "quorum", "pulse"} {
		l := busy(recipe)
		l.link = sim.Link{}
		straight := l.run(t, 40).Live()
		l.names = func(i int) consensus.Peer { return consensus.Peer(fmt.Sprintf("%03d", 997*(i+1)%101)) }
		renamed := l.run(t, 40).Live()
		for i := range straight {
			a, b := straight[i].Params()[0], renamed[i].Params()[0]
			if math.Abs(float64(a-b)) > 1e-4 {
				t.Errorf("%s: peer %d ends at %g, under another name at %g", recipe, i, a, b)
			}
		}
	}
}

// The k-th step of a peer takes the same time under every recipe.
func TestRecipesShareTheirStepTimes(t *testing.T) {
	t.Parallel()
	draws := map[string][]consensus.Duration{}
	for _, recipe := range everyRecipe {
		l := busy(recipe)
		l.laws = map[int]law{0: func(r *rand.Rand) float64 {
			x := homogeneous(r)
			draws[recipe] = append(draws[recipe], units(x))
			return x
		}}
		l.run(t, 30)
	}
	for _, recipe := range everyRecipe {
		k := min(len(draws[recipe]), len(draws["dpsgd"]))
		if k < 3 || !slices.Equal(draws[recipe][:k], draws["dpsgd"][:k]) {
			t.Errorf("%s: other step times than dpsgd", recipe)
		}
	}
}

func TestNewRefusesWhatCannotRun(t *testing.T) {
	t.Parallel()
	pace := func() consensus.Duration { return unit }
	two := circulant(2, 2)
	for name, c := range map[string]sim.Config{
		"no graph": {Peers: []sim.Peer{{Name: "a", Pace: pace}}},
		"no pace":  {Graph: two, Peers: []sim.Peer{{Name: "a", Pace: pace}, {Name: "b"}}},
		"one name": {Graph: two, Peers: []sim.Peer{{Name: "a", Pace: pace}, {Name: "a", Pace: pace}}},
		"no recipe x": {
			Graph: two, Peers: []sim.Peer{{Name: "a", Pace: pace}, {Name: "b", Pace: pace}},
			Options: consensus.Options{Recipe: "x"},
		},
	} {
		c.Params = []float32{0}
		if _, err := sim.New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
