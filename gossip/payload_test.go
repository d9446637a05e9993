package gossip

import (
	"reflect"
	"slices"
	"testing"

	"github.com/starling-ml/starling/consensus"
)

// TestBytesAreThoseOfEachEstimate sends estimates of all forms and a Speed: they arrive as they were
// sent, and what is counted is what each needs on the wire.
func TestBytesAreThoseOfEachEstimate(t *testing.T) {
	t.Parallel()
	a, b := newPeer(t, "a"), newPeer(t, "b")
	connect(t, a, b)
	extra := []float32{4, 3, 2, 1}
	total := int64(0)
	for i, e := range []consensus.Estimate{
		estimate(1),
		{Seq: 2, Base: 1, Weight: 0.5, Params: []float32{1, 2, 3, 4}, Extra: extra},
		{Seq: 3, Base: 2, Answer: 9, Work: 5, Frame: []byte{1, 2, 3}},
		{Seq: 4, Base: 3, Frame: make([]byte, 500), Extra: extra},
	} {
		a.mesh.Send(b.id(), e, i%2 == 0)
		size := a.mesh.format.EstimateSize() - 4*4 + 4*len(e.Params) + len(e.Frame) + 4*len(e.Extra)
		if got := next[Delivered](t, a); got.Seq != e.Seq || got.Bytes != size {
			t.Errorf("estimate %d of %d bytes: delivered %+v", e.Seq, size, got)
		}
		if got := next[Inbound](t, b); got.Bytes != size || !reflect.DeepEqual(got.Message, consensus.Message(e)) {
			t.Errorf("estimate of %d bytes came as %+v, sent was %v", size, got, e)
		}
		total += int64(size)
	}
	speed := consensus.Speed{Epoch: 1, Peer: a.id(), Version: 2, StepTime: 3}
	a.mesh.Send(b.id(), speed, false)
	if got := next[Inbound](t, b).Message; got != consensus.Message(speed) {
		t.Errorf("speed came as %v", got)
	}
	if sent := a.mesh.Stats().SentFrame; sent != total {
		t.Errorf("%d bytes of frames were counted, %d sent", sent, total)
	}
}

// TestBasesAreKept leaves the events of a peer unread. An estimate that others build on was
// acknowledged, so it must reach the reader, and those that build on it too, in order; whole ones before
// and after still give way to each other.
func TestBasesAreKept(t *testing.T) {
	t.Parallel()
	slow, err := Open(testConfig(t, "slow"))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	a := newPeer(t, "a")
	a.mesh.noteAddrs(slow.host.ID(), slow.announcement(false).Addrs)
	slow.SetNeighbours(1, []consensus.Peer{a.id()})
	a.mesh.SetNeighbours(1, []consensus.Peer{slow.ID()})
	next[Up](t, a)
	bases := []uint64{0, 0, 0, 3, 4, 0, 0, 7}
	for i, base := range bases {
		e := estimate(uint64(i + 1))
		if e.Base = base; base > 0 {
			e.Params, e.Frame = nil, []byte{byte(i)}
		}
		a.mesh.Send(slow.ID(), e, true)
		await(t, a, func(d Delivered) bool { return d.Seq == e.Seq })
	}
	var got []uint64
	for len(got) == 0 || got[len(got)-1] != uint64(len(bases)) {
		if in, ok := (<-slow.Events()).(Inbound); ok {
			got = append(got, in.Message.(consensus.Estimate).Seq)
		}
	}
	for _, seq := range []uint64{3, 4, 5, 7, 8} {
		if !slices.Contains(got, seq) {
			t.Errorf("estimate %d, which was acknowledged, is missing in %v", seq, got)
		}
	}
	if !slices.IsSorted(got) || slices.Contains(got, 6) {
		t.Errorf("the reader saw %v", got)
	}
}
