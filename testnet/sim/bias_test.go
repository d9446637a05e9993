package sim_test

import (
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/train"
)

// pull is a network of six peers with F_j = (w - c_j)^2 / 2, c_0 = 6 and the others 0, so that the
// optimum is 1.000, and peer 0 always four times slower.
func pull(options consensus.Options) lab {
	return lab{
		graph: scattered(6, 9, 1), law: homogeneous, laws: map[int]law{0: law(homogeneous).times(4)},
		slow: map[int]bool{0: true}, options: options, seed: 1,
		trainer: func(i int) train.Trainer {
			center := float32(0)
			if i == 0 {
				center = 6
			}
			return quadratic{center: center, eta: 0.02}
		},
	}
}

// settled is where the average estimate ends, averaged over the second half of a run. Peers that wait
// have applied a gradient that the slow one has yet to apply, which is worth a little more than eta.
func settled(t *testing.T, l lab) float64 {
	t.Helper()
	const horizon, readings = 4000, 500
	network := l.run(t, horizon/2)
	sum := 0.0
	for k := range readings {
		network.Run(at(horizon/2 + horizon/2*float64(k+1)/readings))
		sum += mean(network)
	}
	return sum / readings
}

// What a permanently slow peer with data of its own does to the fixed point of each recipe.
func TestBias(t *testing.T) {
	heavy(t)
	for name, c := range map[string]struct {
		options         consensus.Options
		want, tolerance float64
	}{
		"barrier":    {consensus.Options{Recipe: "barrier"}, 1, 0.03},
		"dpsgd":      {consensus.Options{Recipe: "dpsgd"}, 1, 0.03},
		"dybw carry": {consensus.Options{Recipe: "dybw", Late: consensus.Carry}, 1, 0.03},
		"dybw abort": {consensus.Options{Recipe: "dybw", Late: consensus.Abort}, .330, 0.10},
		"dybw skip":  {consensus.Options{Recipe: "dybw", Late: consensus.Skip}, .381, 0.10},
		"dybw corrected": {
			consensus.Options{Recipe: "dybw", Late: consensus.Skip, Participation: true}, 1, 0.03,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			within(t, "the average estimate", settled(t, pull(c.options)), c.want, c.tolerance)
		})
	}
}
