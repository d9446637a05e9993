package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/testnet/sim"
	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/train"
)

// unit is the time of one normal step in the tests.
const unit = consensus.Second

// law draws the time of one step in units.
type law func(r *rand.Rand) float64

func constant(*rand.Rand) float64      { return 1 }
func homogeneous(r *rand.Rand) float64 { return 0.9 + 0.2*r.Float64() }
func exponential(r *rand.Rand) float64 { return r.ExpFloat64() }
func shifted(r *rand.Rand) float64     { return 0.8 + 0.2*r.ExpFloat64() }
func uniform(r *rand.Rand) float64     { return 2 * r.Float64() }

// pareto is Pareto-II(3, 2), whose mean is 1.
func pareto(r *rand.Rand) float64 { return 2 * (math.Pow(1-r.Float64(), -1.0/3) - 1) }

// tenfold is homogeneous and ten times longer with probability 0.1.
func tenfold(r *rand.Rand) float64 {
	t := homogeneous(r)
	if r.Float64() < 0.1 {
		return 10 * t
	}
	return t
}

// spark draws from the quantiles of task times measured on a Spark cluster, scaled to mean 1.
func spark(r *rand.Rand) float64 {
	at := []float64{0, .10, .25, .50, .75, .90, .95, .99, 1}
	ms := []float64{663, 726, 756, 831, 1054, 1228, 1360, 2802, 2802}
	u := r.Float64()
	for i := 1; ; i++ {
		if u <= at[i] {
			part := (u - at[i-1]) / (at[i] - at[i-1])
			return (ms[i-1] + part*(ms[i]-ms[i-1])) / sparkMean
		}
	}
}

// sparkMean is the mean of the piecewise linear law in milliseconds.
const sparkMean = .10*(663+726)/2 + .15*(726+756)/2 + .25*(756+831)/2 + .25*(831+1054)/2 +
	.15*(1054+1228)/2 + .05*(1228+1360)/2 + .04*(1360+2802)/2 + .01*2802

// times makes a law slower by a factor.
func (l law) times(factor float64) law {
	return func(r *rand.Rand) float64 { return factor * l(r) }
}

// lab describes a network for a test. The zero values mean: exact links, nothing to train.
type lab struct {
	graph    *topology.Graph
	law      law                       // of every peer
	laws     map[int]law               // of single peers instead
	trainer  func(i int) train.Trainer // nil: nothing to train
	params   []float32
	options  consensus.Options
	seed     uint64
	link     sim.Link
	mixCost  float64
	silence  consensus.Duration
	saves    consensus.Duration
	slow     map[int]bool
	names    func(i int) consensus.Peer
	observer sim.Observer
}

func number(i int) consensus.Peer { return consensus.Peer(fmt.Sprintf("%03d", i)) }

// build returns the network at time zero.
func (l lab) build(t testing.TB) *sim.Network {
	t.Helper()
	if l.params == nil {
		l.params = []float32{0}
	}
	if l.names == nil {
		l.names = number
	}
	config := sim.Config{
		Graph: l.graph, Params: l.params, Options: l.options, Seed: l.seed,
		MixCost: l.mixCost, Silence: l.silence, SaveEvery: l.saves, Observe: l.observer,
	}
	for i := range l.graph.N() {
		config.Peers = append(config.Peers, l.peer(i))
	}
	network, err := sim.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return network
}

func (l lab) peer(i int) sim.Peer {
	draw, own := l.laws[i]
	if !own {
		draw = l.law
	}
	stream := seed.Stream(l.seed, "pace", strconv.Itoa(i))
	p := sim.Peer{
		Name: l.names(i), Slow: l.slow[i], Link: l.link,
		Step: units(draw(rand.New(rand.NewPCG(1, 2)))),
		Pace: func() consensus.Duration { return units(draw(stream)) },
	}
	if l.trainer != nil {
		p.Trainer = l.trainer(i)
	}
	return p
}

// run builds the network and takes it to the given number of units.
func (l lab) run(t testing.TB, horizon float64) *sim.Network {
	t.Helper()
	network := l.build(t)
	network.Run(consensus.Time(units(horizon)))
	return network
}

func units(x float64) consensus.Duration { return consensus.Duration(math.Round(x * float64(unit))) }

// rounds returns how many rounds the fastest peer has closed.
func rounds(n *sim.Network) float64 {
	most := uint64(0)
	for _, m := range n.Live() {
		most = max(most, m.Round())
	}
	return float64(most)
}

// circulant returns the graph of n vertices in which i is joined to i+-1 ... i+-degree/2.
func circulant(n, degree int) *topology.Graph {
	g := topology.New(n)
	for i := range n {
		for k := 1; k <= degree/2; k++ {
			if err := g.Add(i, (i+k)%n, 1); err != nil {
				panic(err)
			}
		}
	}
	return g
}

// scattered returns a connected graph: the path 0..n-1 and random edges up to a number.
func scattered(n, edges int, seedValue uint64) *topology.Graph {
	g := topology.New(n)
	join := func(u, v int) {
		if err := g.Add(u, v, 1); err != nil {
			panic(err)
		}
	}
	for i := 1; i < n; i++ {
		join(i-1, i)
	}
	r := seed.Stream(seedValue, "graph")
	for left := edges - (n - 1); left > 0; {
		u, v := r.IntN(n), r.IntN(n)
		if u != v && !g.Has(u, v) {
			join(u, v)
			left--
		}
	}
	return g
}

// quadratic trains F(w) = (w - center)^2 / 2 by plain gradient descent.
type quadratic struct{ center, eta float32 }

func (q quadratic) Step(params []float32) (float32, error) {
	var loss float32
	for i, w := range params {
		gap := w - q.center
		loss += float32(gap*gap) / 2
		params[i] = w - float32(q.eta*gap)
	}
	return loss, nil
}

func (quadratic) State() ([]byte, error) { return nil, nil }
func (quadratic) Restore([]byte) error   { return nil }

// mean returns the average of a peer's first parameter over peers.
func mean(n *sim.Network) float64 {
	sum := 0.0
	for _, m := range n.Live() {
		sum += float64(m.Params()[0])
	}
	return sum / float64(len(n.Live()))
}
