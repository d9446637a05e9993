package sim_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/testnet/sim"
)

// BenchmarkScaleMixing measures how the simulator grows with the peers: all of them mix vectors of 100
// over links that take time. The time of an event and the bytes of a peer must stay where they are.
func BenchmarkScaleMixing(b *testing.B) {
	for _, recipe := range []string{"dpsgd", "pulse"} {
		for _, peers := range []int{100, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", recipe, peers), func(b *testing.B) {
				l := lab{
					graph: circulant(peers, 4), law: shifted, options: consensus.Options{Recipe: recipe},
					params: make([]float32, 100), link: sim.Link{Rate: 8 * 400 / 0.01, Latency: units(0.01)},
				}
				empty := heap()
				network := l.run(b, 3)
				bytes := heap() - empty
				before, now := network.Events(), 3.0
				for b.Loop() {
					now += 100 / float64(peers)
					network.Run(at(now))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(network.Events()-before), "ns/event")
				b.ReportMetric(float64(bytes)/float64(peers), "bytes/peer")
				b.ReportMetric(0, "ns/op") // of a hundred steps of any peers
				runtime.KeepAlive(l.graph)
			})
		}
	}
}

// heap returns the bytes that are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkScaleStart measures how long a network takes to be built, and the loss of a peer to be known
// to all.
func BenchmarkScaleStart(b *testing.B) {
	for _, peers := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(peers), func(b *testing.B) {
			l := lab{graph: circulant(peers, 4), law: shifted, options: consensus.Options{Recipe: "pulse"}}
			for b.Loop() {
				network := l.build(b)
				network.Run(at(0.1))
				network.Kill(number(peers / 2))
				network.Run(at(4))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(peers), "ns/peer")
		})
	}
}
