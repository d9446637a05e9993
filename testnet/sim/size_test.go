package sim

import (
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/vec"
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

// What a codec saves is saved on the uplink: the bytes of a run shrink, and estimates that whole would
// take as long as five blocks keep up with the blocks.
func TestCodecsSaveUplink(t *testing.T) {
	t.Parallel()
	const size = 1000
	run := func(kind vec.CodecKind) (bytes uint64, publishes int) {
		g := topology.New(4)
		for i := range 4 {
			if err := g.Add(i, (i+1)%4, 1); err != nil {
				t.Fatal(err)
			}
		}
		c := Config{Graph: g, Params: make([]float32, size), Options: consensus.Options{
			Recipe: "pulse", Codec: vec.Codec{Kind: kind},
		}}
		c.Observe = func(_ consensus.Time, _ consensus.Peer, _ consensus.Event, effects []consensus.Effect) {
			for _, e := range effects {
				if p, ok := e.(consensus.Published); ok && !p.Skipped {
					publishes++
				}
			}
		}
		for _, name := range []consensus.Peer{"a", "b", "c", "d"} {
			c.Peers = append(c.Peers, Peer{
				Name: name, Step: consensus.Second, Pace: func() consensus.Duration { return consensus.Second },
				Link: Link{Rate: 2 * 8 * 4 * size / 5},
			})
		}
		n, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		n.Run(consensus.Time(200 * consensus.Second))
		return n.SentBytes(), publishes
	}
	wholeBytes, wholePublishes := run(vec.Dense)
	whole := float64(wholeBytes) / float64(wholePublishes)
	for kind, times := range map[vec.CodecKind]float64{vec.BF16: 1.9, vec.Int8: 3.7, vec.TopK: 6, vec.Auto: 3.5} {
		bytes, publishes := run(kind)
		if each := float64(bytes) / float64(publishes); each > whole/times {
			t.Errorf("%s: %.0f bytes a publish, whole estimates take %.0f", kind, each, whole)
		}
		if kind != vec.BF16 && publishes < 2*wholePublishes {
			t.Errorf("%s: %d publishes, of whole estimates %d", kind, publishes, wholePublishes)
		}
	}
}
