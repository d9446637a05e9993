package gossip

import (
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	"github.com/marcopolo/simnet"
	"github.com/quic-go/quic-go"
	"go.uber.org/fx"

	"github.com/starling-ml/starling/consensus"
)

// island is a simulated network of real hosts in virtual time, from which one address can be cut off.
type island struct {
	net *simnet.Simnet
	cut atomic.Pointer[net.UDPAddr] // its packets get lost; nil: none
}

const oneWay = 20 * time.Millisecond

func newIsland() *island {
	i := &island{}
	i.net = &simnet.Simnet{LatencyFunc: func(p *simnet.Packet) time.Duration {
		if cut := i.cut.Load(); cut != nil && (p.From.String() == cut.String() || p.To.String() == cut.String()) {
			return 24 * time.Hour // longer than any test
		}
		return oneWay
	}}
	return i
}

func (i *island) address(host int) *net.UDPAddr {
	return &net.UDPAddr{IP: net.IPv4(10, 0, 0, byte(host+1)), Port: 4001}
}

// option lets a host use the simulated network in the place of UDP sockets.
func (i *island) option() libp2p.Option {
	link := simnet.NodeBiDiLinkSettings{
		Downlink: simnet.LinkSettings{BitsPerSecond: 50 * simnet.Mibps},
		Uplink:   simnet.LinkSettings{BitsPerSecond: 50 * simnet.Mibps},
	}
	source := &fixedSource{}
	return libp2p.QUICReuse(
		func(life fx.Lifecycle, reset quic.StatelessResetKey, token quic.TokenGeneratorKey,
			options ...quicreuse.Option,
		) (*quicreuse.ConnManager, error) {
			manager, err := quicreuse.NewConnManager(reset, token, options...)
			if err == nil {
				life.Append(fx.StopHook(manager.Close))
			}
			return manager, err
		},
		quicreuse.OverrideSourceIPSelector(func() (quicreuse.SourceIPSelector, error) { return source, nil }),
		quicreuse.OverrideListenUDP(func(_ string, address *net.UDPAddr) (net.PacketConn, error) {
			source.ip.Store(&address.IP)
			return i.net.NewEndpoint(address, link), nil
		}),
	)
}

type fixedSource struct{ ip atomic.Pointer[net.IP] }

func (f *fixedSource) PreferredSourceIPForDestination(*net.UDPAddr) (net.IP, error) {
	return *f.ip.Load(), nil
}

// TestCutOff cuts one of ten hosts off without any connection being closed, and lets it back. Time is
// virtual: how long everything takes is exact.
func TestCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 10
		i := newIsland()
		i.net.Start()
		defer i.net.Close()
		peers := make([]*testPeer, n)
		for host := range peers {
			peers[host] = newPeer(t, fmt.Sprint("peer", host), func(c *Config) {
				c.Listen = []string{fmt.Sprintf("/ip4/%s/udp/4001/quic-v1", i.address(host).IP)}
				c.Timing, c.extra = Timing{}, []libp2p.Option{i.option()}
			})
		}
		ring(t, peers)
		for _, p := range peers {
			next[Up](t, p)
			next[Up](t, p)
		}
		time.Sleep(3 * time.Second)
		cutAt := time.Now()
		i.cut.Store(i.address(0))
		for _, p := range []*testPeer{peers[1], peers[n-1], peers[0], peers[0]} {
			if down := next[Down](t, p); down.Reason != DownSilent {
				t.Errorf("%+v", down)
			}
			dead, beat := DefaultTiming().DeadAfter, DefaultTiming().Heartbeat
			if took := time.Since(cutAt); took < dead-beat || took > dead+beat {
				t.Errorf("a silent neighbour was noticed after %v", took)
			}
		}
		time.Sleep(20 * time.Second)
		healedAt := time.Now()
		i.cut.Store(nil)
		for _, p := range []*testPeer{peers[1], peers[n-1]} {
			if up := next[Up](t, p); up.Peer != peers[0].id() {
				t.Errorf("%+v", up)
			}
		}
		if took := time.Since(healedAt); took > 2*DefaultTiming().RetryMax {
			t.Errorf("the links were back after %v", took)
		}
		for host, p := range peers { // the others noticed nothing
			p.mu.Lock()
			log := p.log
			p.mu.Unlock()
			for _, event := range log {
				if down, ok := event.(Down); ok && host > 1 && host < n-1 {
					t.Errorf("%s saw %+v", p.mesh.config.Hello.Name, down)
				}
			}
		}
		for _, p := range peers {
			p.mesh.Close()
		}
	})
}

func ring(t *testing.T, peers []*testPeer) {
	t.Helper()
	n := len(peers)
	for i, p := range peers {
		var neighbours []consensus.Peer
		for _, other := range []*testPeer{peers[(i+1)%n], peers[(i+n-1)%n]} {
			p.mesh.noteAddrs(other.key.id, other.mesh.announcement(false).Addrs)
			neighbours = append(neighbours, other.id())
		}
		if err := p.mesh.SetNeighbours(1, neighbours); err != nil {
			t.Fatal(err)
		}
	}
}
