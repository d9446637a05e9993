package gossip

import (
	"testing"

	"github.com/starling-ml/starling/consensus"
)

func TestFramesArriveInOrderAndAreAcknowledged(t *testing.T) {
	t.Parallel()
	a, b := newPeer(t, "a"), newPeer(t, "b")
	connect(t, a, b)
	const n = 20
	for i := range n {
		a.mesh.Send(b.id(), consensus.Intent{Round: uint64(i)}, false)
		a.mesh.Send(b.id(), estimate(uint64(i+1)), false)
		await(t, a, func(e Delivered) bool {
			if e.To != b.id() || e.Bytes != a.mesh.format.EstimateSize() || e.Took <= 0 {
				t.Errorf("delivered %+v", e)
			}
			return e.Seq == uint64(i+1)
		})
	}
	for i := range n {
		got := next[Inbound](t, b)
		if got.Message != consensus.Message(consensus.Intent{Round: uint64(i)}) || got.From != a.id() {
			t.Fatalf("message %d is %+v", i, got)
		}
		got = next[Inbound](t, b)
		if seq := got.Message.(consensus.Estimate).Seq; seq != uint64(i+1) {
			t.Fatalf("estimate %d has number %d", i+1, seq)
		}
	}
	stats := a.mesh.Stats()
	if stats.SentFrame != n*int64(a.mesh.format.EstimateSize()) {
		t.Errorf("sent %d bytes of frames", stats.SentFrame)
	}
	if len(stats.Neighbours) != 1 || stats.Neighbours[0].Path != Direct || stats.Neighbours[0].Name != "b" {
		t.Errorf("neighbours %+v", stats.Neighbours)
	}
}
