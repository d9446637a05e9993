package sim

import (
	"testing"

	"github.com/starling-ml/starling/consensus"
)

// An estimate takes the bytes and the time of what it carries. FrameBytes is what dense parameters take,
// a head of 90 bytes with it here.
func TestSizeFollowsThePayload(t *testing.T) {
	t.Parallel()
	x := make([]float32, 10)
	n := &Network{config: Config{Params: x, FrameBytes: 130}}
	p := &peer{Peer: Peer{Link: Link{Rate: 8}}}
	for _, c := range []struct {
		e    consensus.Estimate
		want int
	}{
		{consensus.Estimate{Params: x}, 130},
		{consensus.Estimate{Params: x, Extra: x}, 170},
		{consensus.Estimate{Frame: make([]byte, 7)}, 97},
		{consensus.Estimate{Frame: make([]byte, 7), Extra: x}, 137},
	} {
		s := consensus.Send{Message: c.e}
		if got := n.size(s); got != c.want {
			t.Errorf("%v has %d bytes, want %d", c.e, got, c.want)
		}
		if got, want := n.airtime(p, s), consensus.Duration(c.want)*consensus.Second; got != want {
			t.Errorf("%v takes %d ns at a byte a second, want %d", c.e, got, want)
		}
	}
	tiny := &Network{config: Config{Params: x, FrameBytes: 1}}
	if got := tiny.size(consensus.Send{Message: consensus.Estimate{Frame: []byte{1}}}); got != 0 {
		t.Errorf("%d bytes where frames are said to be shorter than the parameters", got)
	}
}
