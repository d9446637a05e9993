package sim_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/testnet/sim"
	"github.com/starling-ml/starling/topology"
)

// harmonic returns 1 + 1/2 + ... + 1/n.
func harmonic(n int) float64 {
	sum := 0.0
	for i := 1; i <= n; i++ {
		sum += 1 / float64(i)
	}
	return sum
}

// roundTime measures the mean duration of a round with exact links and nothing to train.
func roundTime(t *testing.T, l lab, horizon float64) float64 {
	t.Helper()
	return horizon / rounds(l.run(t, horizon))
}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	t.Logf("%s: %.3f (expected %.3f)", what, got, want)
	if math.Abs(got-want) > tolerance*math.Abs(want) {
		t.Errorf("%s is %.4f, expected %.4f within %.0f %%", what, got, want, 100*tolerance)
	}
}

// The mean of the largest of N exponential times is the N-th harmonic number.
func TestBarrierRoundIsHarmonic(t *testing.T) {
	t.Parallel()
	for _, n := range []int{4, 10} {
		l := lab{graph: circulant(n, 2), law: exponential, options: consensus.Options{Recipe: "barrier"}, seed: 1}
		within(t, "barrier round", roundTime(t, l, 8000), harmonic(n), 0.03)
	}
}

// The mean of the c-th smallest of N exponential times is H_N - H_(N-c): on a full graph backup closes
// a round when the fastest peer has heard its share of the others. (With less than a half, the others
// are enough for a round of their own.)
func TestBackupRoundIsAnOrderStatistic(t *testing.T) {
	t.Parallel()
	const n = 8
	for fraction, c := range map[float64]int{0.5: 5, 0.75: 7, 1: 8} { // itself and ceil(fraction * 7)
		options := consensus.Options{Recipe: "backup", Mix: consensus.Mutual, Fraction: fraction, Late: consensus.Abort}
		l := lab{graph: circulant(n, n), law: exponential, options: options, seed: 1}
		within(t, "backup round", roundTime(t, l, 4000), harmonic(n)-harmonic(n-c), 0.03)
	}
}

// roundCase is a row of the table of round times, relative to a global barrier.
type roundCase struct {
	name               string
	peers, edges       int
	law                law
	laws               map[int]law
	abort, carry, skip float64
}

// The durations of dybw's rounds relative to a global barrier, without message delay.
func TestDybwRoundTimes(t *testing.T) {
	heavy(t)
	for _, c := range []roundCase{
		{"exp N=6", 6, 9, exponential, nil, .373, .689, .378},
		{"exp N=10", 10, 21, exponential, nil, .235, .558, .238},
		{"0.8+0.2exp N=6", 6, 9, shifted, nil, .760, .881, .560},
		{"0.8+0.2exp N=10", 10, 21, shifted, nil, .675, .812, .436},
		{"x10 N=6", 6, 9, tenfold, nil, .293, .697, .409},
		{"x10 N=10", 10, 21, tenfold, nil, .186, .519, .243},
		{"one x4 N=6", 6, 9, homogeneous, map[int]law{0: law(homogeneous).times(4)}, .402, 1, .219},
		{"spark N=6", 6, 9, spark, nil, .651, .840, .499},
		{"spark N=10", 10, 21, spark, nil, .537, .733, .359},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}

// check compares the table with an ideal threshold rule on the path 0..N-1, whose tree it was made
// with, and the machines with the ideal rule on the tree that they agree on.
func (c roundCase) check(t *testing.T) {
	l := lab{graph: scattered(c.peers, c.edges, 1), law: c.law, laws: c.laws, seed: 1}
	l.slow = map[int]bool{0: c.laws != nil}
	var path []topology.Edge
	for i := 1; i < c.peers; i++ {
		path = append(path, topology.Edge{U: i - 1, V: i})
	}
	tree := topology.SpanningTree(l.graph, func(i int) bool { return l.slow[i] })
	barrier := ideal{lab: l}.barrier()
	for late, want := range map[consensus.Late]float64{
		consensus.Abort: c.abort, consensus.Carry: c.carry, consensus.Skip: c.skip,
	} {
		within(t, string(late)+" on a path", ideal{l, path, late}.round()/barrier, want, 0.05)
		l.options = consensus.Options{Recipe: "dybw", Late: late}
		within(t, string(late)+" of the machines", roundTime(t, l, 2000), ideal{l, tree, late}.round(), 0.05)
	}
}

// throughput is the mean number of rounds of a peer per unit between two times: the first rounds are
// short because everybody starts at the same time.
func throughput(t *testing.T, l lab, from, to float64) float64 {
	t.Helper()
	network := l.run(t, from)
	before := meanRounds(network)
	network.Run(consensus.Time(units(to)))
	return (meanRounds(network) - before) / (to - from)
}

func meanRounds(n *sim.Network) float64 {
	sum := 0.0
	for _, m := range n.Live() {
		sum += float64(m.Round())
	}
	return sum / float64(len(n.Live()))
}

// Rounds per unit of time of plain D-PSGD on circulant graphs of 100 peers.
func TestCirculantThroughput(t *testing.T) {
	heavy(t)
	for _, c := range []struct {
		name       string
		law        law
		throughput map[int]float64 // by degree
	}{
		{"exp", exponential, map[int]float64{2: .424, 4: .353, 8: .296, 20: .243, 50: .207, 99: .193}},
		{"uniform", uniform, map[int]float64{2: .613, 4: .567, 8: .538, 20: .517, 50: .508, 99: .505}},
		{"pareto", pareto, map[int]float64{2: .277, 4: .218, 8: .175, 20: .129, 50: .106, 99: .098}},
		{"spark", spark, map[int]float64{2: .662, 4: .588, 8: .522, 20: .442, 50: .383, 99: .361}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for degree, want := range c.throughput {
				l := lab{graph: circulant(100, degree), law: c.law, options: consensus.Options{Recipe: "dpsgd"}, seed: 2}
				from, to, tolerance := 500.0, 2500.0, 0.03
				if degree > 8 { // many messages a round
					from, to, tolerance = 50, 50+max(200, 8000/float64(degree)), 0.05
					if c.name == "pareto" { // whose longest steps outlast such a window
						tolerance = 0.12
					}
				}
				within(t, fmt.Sprint("throughput at degree ", degree), throughput(t, l, from, to), want, tolerance)
			}
		})
	}
}
