package gossip

import (
	"context"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// stranger is a plain libp2p host under the test's control, for everything an honest mesh never does.
type stranger struct {
	t    *testing.T
	host host.Host
	with *testPeer
	seen chan network.Stream // streams that the mesh opened
}

func newStranger(t *testing.T, with *testPeer) *stranger {
	t.Helper()
	c := testConfig(t, "stranger")
	options, err := hostOptions(c.withDefaults(), newOffences(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	h, err := libp2p.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	s := &stranger{t: t, host: h, with: with, seen: make(chan network.Stream, 64)}
	t.Cleanup(func() { h.Close() })
	h.SetStreamHandler(framesProtocol, func(stream network.Stream) { s.seen <- stream })
	s.dial()
	return s
}

func (s *stranger) dial() {
	s.t.Helper()
	info := peer.AddrInfo{ID: s.with.key.id, Addrs: s.with.mesh.host.Addrs()}
	if err := s.host.Connect(s.ctx(), info); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stranger) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	s.t.Cleanup(cancel)
	return ctx
}

func (s *stranger) id() consensus.Peer { return consensus.Peer(s.host.ID().String()) }

func (s *stranger) hello() wire.Hello {
	hello := s.with.mesh.myHello()
	hello.Name = "stranger"
	return hello
}

// open opens a stream to the mesh; the two ends have not spoken yet.
func (s *stranger) open(id protocol.ID) *pipe {
	s.t.Helper()
	stream, err := s.host.NewStream(s.ctx(), s.with.key.id, id)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.pipe(stream)
}

func (s *stranger) pipe(stream network.Stream) *pipe {
	s.t.Cleanup(func() { stream.Reset() })
	p := s.with.mesh.newPipe(stream)
	p.counters = &counters{}
	p.patience, p.stall = patience, patience
	return p
}

// befriend makes the mesh want this host as a neighbour and opens both streams. Frames go out on the
// first; the second is the mesh's.
func (s *stranger) befriend() (mine, theirs *pipe) {
	s.t.Helper()
	if err := s.with.mesh.SetNeighbours(1, []consensus.Peer{s.id()}); err != nil {
		s.t.Fatal(err)
	}
	mine = s.open(framesProtocol)
	s.say(mine, s.hello())
	s.expect(mine, wire.Welcome{})
	theirs = s.pipe(<-s.seen)
	if _, _, err := theirs.read(); err != nil {
		s.t.Fatal(err)
	}
	s.say(theirs, s.hello())
	s.say(theirs, wire.Welcome{})
	await(s.t, s.with, func(up Up) bool { return up.Peer == s.id() })
	return mine, theirs
}

func (s *stranger) say(p *pipe, packet wire.Packet) {
	s.t.Helper()
	if err := p.write(packet); err != nil {
		s.t.Fatalf("write %+v: %v", packet, err)
	}
}

// expect reads until the packet comes; hellos and heartbeats may come before it.
func (s *stranger) expect(p *pipe, want wire.Packet) {
	s.t.Helper()
	for {
		got, _, err := p.read()
		if err != nil {
			s.t.Fatalf("waiting for %+v: %v", want, err)
		}
		if got == want {
			return
		}
		switch got.(type) {
		case wire.Hello, wire.Ping, wire.Pong:
		default:
			s.t.Fatalf("got %+v, want %+v", got, want)
		}
	}
}
