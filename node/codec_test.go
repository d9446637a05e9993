package node

import (
	"strconv"
	"strings"
	"testing"
)

// Over libp2p a codec saves what it says, and links that are new begin again: a peer that comes back with
// its checkpoint is understood and understands.
func TestEstimatesAreSmallAndPeersComeBack(t *testing.T) {
	t.Parallel()
	coded := func(name string, peers ...string) *Config {
		c := agent(t, name, peers...)
		c.Train.Codec.Kind = "int8"
		return c
	}
	a := start(open(t, coded("a")))
	configB := coded("b", a.Addrs()...)
	b := start(open(t, configB))
	mixes := func(r *running) float64 { return metric(t, r.Node, "starling_mixes_total") }
	// An estimate of the two is whole, all others are a byte a value and a head.
	small := func() bool { return metric(t, a.Node, "starling_compression_ratio") > 3 }
	eventually(t, "small estimates", small)
	b.stop(t)
	eventually(t, "a alone", func() bool { return len(a.mesh.Stats().Neighbours) == 0 })
	b = start(open(t, configB))
	eventually(t, "b is back", func() bool { return len(b.mesh.Stats().Neighbours) == 1 })
	before := mixes(b)
	eventually(t, "b mixes again", func() bool { return mixes(b) > before+20 })
	eventually(t, "small estimates again", small)
	for _, r := range []*running{a, b} {
		sent := metric(t, r.Node, `starling_exchanges_total{outcome="ok",role="sent"}`)
		if bytes := float64(r.mesh.Stats().SentFrame) / sent; bytes > float64(r.task.Size())*4/2 {
			t.Errorf("%s sent %.0f bytes for each estimate that arrived", r.config.Name, bytes)
		}
		if score := r.stop(t).Score; score.Accuracy < 0.8 {
			t.Errorf("accuracy of %s is %.3f, want 0.8", r.config.Name, score.Accuracy)
		}
	}
}

// metric returns the value of one series of a node; 0: it is not there.
func metric(t *testing.T, n *Node, name string) float64 {
	t.Helper()
	_, all := fetch(t, n, "/metrics")
	for line := range strings.Lines(all) {
		if text, found := strings.CutPrefix(line, name+" "); found {
			v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	return 0
}
