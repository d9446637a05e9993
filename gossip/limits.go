package gossip

import (
	"fmt"
	"net/netip"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/network"
	rcmgr "github.com/libp2p/go-libp2p/p2p/host/resource-manager"
	"github.com/libp2p/go-libp2p/x/rate"
)

// newLimits sizes libp2p's limits for a mesh of this size. Its defaults allow 8 connections from one
// address and about 250 in all, so that a lab behind one router, or a test network on one machine,
// would be refused; and a rate of new connections that a restart of the lab exceeds. Both the count
// and the rate have to be set.
func newLimits(degree, members int) (network.ResourceManager, error) {
	conns := 2*members + 64 // members may be connected twice for a moment; the rest are strangers
	streams := 8*conns + 16*degree
	scaling := rcmgr.DefaultLimits
	libp2p.SetDefaultServiceLimits(&scaling)
	limits := rcmgr.PartialLimitConfig{
		System:      sized(conns, streams),
		Transient:   sized(conns/2, streams/4),
		PeerDefault: sized(8, perPeer),
	}
	// Protocol and service limits of the defaults are totals over all peers.
	limits.ProtocolDefault = streamLimit(streams)
	limits.ServiceDefault = streamLimit(streams)
	limits.ProtocolPeerDefault = streamLimit(perPeer)
	limits.ServicePeerDefault = streamLimit(perPeer)
	manager, err := rcmgr.NewResourceManager(
		rcmgr.NewFixedLimiter(limits.Build(scaling.AutoScale())),
		rcmgr.WithLimitPerSubnet(
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 32, ConnCount: conns}},
			[]rcmgr.ConnLimitPerSubnet{{PrefixLength: 56, ConnCount: conns}},
		),
		rcmgr.WithConnRateLimiters(connRates(conns)),
		rcmgr.WithMetricsDisabled(),
	)
	if err != nil {
		return nil, fmt.Errorf("size the limits for %d members: %w", members, err)
	}
	return manager, nil
}

// perPeer is how many streams one peer may have: two for frames, a few for the handshake of contacts,
// the control topic and identification.
const perPeer = 64

func sized(conns, streams int) rcmgr.ResourceLimits {
	limits := streamLimit(streams)
	limits.Conns = rcmgr.LimitVal(2 * conns)
	limits.ConnsInbound = rcmgr.LimitVal(conns)
	limits.ConnsOutbound = rcmgr.LimitVal(conns)
	limits.FD = rcmgr.LimitVal(2 * conns)
	return limits
}

func streamLimit(streams int) rcmgr.ResourceLimits {
	return rcmgr.ResourceLimits{
		Streams:         rcmgr.LimitVal(2 * streams),
		StreamsInbound:  rcmgr.LimitVal(streams),
		StreamsOutbound: rcmgr.LimitVal(streams),
	}
}

// connRates allows a whole mesh behind one address to reconnect at once, and as much again every
// minute. Loopback is not limited.
func connRates(conns int) *rate.Limiter {
	perSubnet := rate.Limit{RPS: float64(conns) / 60, Burst: 2 * conns}
	return &rate.Limiter{
		NetworkPrefixLimits: []rate.PrefixLimit{
			{Prefix: netip.MustParsePrefix("127.0.0.0/8")},
			{Prefix: netip.MustParsePrefix("::1/128")},
		},
		SubnetRateLimiter: rate.SubnetLimiter{
			IPv4SubnetLimits: []rate.SubnetLimit{{PrefixLength: 32, Limit: perSubnet}},
			IPv6SubnetLimits: []rate.SubnetLimit{{PrefixLength: 56, Limit: perSubnet}},
		},
	}
}
