package sim_test

import (
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/testnet/sim"
)

// BenchmarkEvents measures the simulator with the core: a thousand peers that exchange small estimates
// over links that take time. It reports events a second.
func BenchmarkEvents(b *testing.B) {
	for _, recipe := range []string{"dpsgd", "quorum", "pulse", "dybw"} {
		b.Run(recipe, func(b *testing.B) {
			l := lab{
				graph: circulant(1000, 4), law: shifted, options: consensus.Options{Recipe: recipe},
				params: make([]float32, 16), link: sim.Link{Rate: 8 * 64 / 0.01, Latency: units(0.01)},
			}
			network := l.run(b, 3)
			before := network.Events()
			now := 3.0
			for b.Loop() {
				now += 0.1
				network.Run(at(now))
			}
			b.ReportMetric(float64(network.Events()-before)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
