package gossip

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	basicconnmgr "github.com/libp2p/go-libp2p/p2p/net/connmgr"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	libp2ptls "github.com/libp2p/go-libp2p/p2p/security/tls"
	libp2pquic "github.com/libp2p/go-libp2p/p2p/transport/quic"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	ma "github.com/multiformats/go-multiaddr"
)

// newHost makes a libp2p host that listens.
func newHost(c Config, gate connmgr.ConnectionGater) (host.Host, error) {
	options, err := hostOptions(c, gate)
	if err != nil {
		return nil, err
	}
	h, err := libp2p.New(options...)
	if err != nil {
		return nil, fmt.Errorf("start libp2p: %w", err)
	}
	if err := listen(h, c.Listen); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

func hostOptions(c Config, gate connmgr.ConnectionGater) ([]libp2p.Option, error) {
	options := []libp2p.Option{
		libp2p.Identity(c.Key.private),
		libp2p.UserAgent("starling/" + c.Hello.Software),
		libp2p.NoListenAddrs,
		// Without port reuse a second agent on the same port is an error, not a silent thief of half
		// of the connections.
		libp2p.Transport(tcp.NewTCPTransport, tcp.DisableReuseport()),
		libp2p.Security(libp2ptls.ID, libp2ptls.New),
		libp2p.Muxer(yamux.ID, newMuxer(c.Timing)),
		libp2p.SwarmOpts(swarm.WithDialRanker(rankDials)),
		libp2p.ConnectionGater(gate),
		libp2p.DisableMetrics(),
		libp2p.DisableIdentifyAddressDiscovery(),
		libp2p.Ping(false),
		libp2p.WithDialTimeout(c.Timing.Handshake),
	}
	if !c.Minimal || strings.Contains(strings.Join(c.Listen, " "), "/quic-v1") {
		options = append(options, libp2p.Transport(libp2pquic.NewTransport))
	}
	if len(c.Announce) > 0 {
		announced, err := parseAddrs(c.Announce)
		if err != nil {
			return nil, err
		}
		options = append(options, libp2p.AddrsFactory(func([]ma.Multiaddr) []ma.Multiaddr { return announced }))
	}
	resources, err := resourceOptions(c)
	return slices.Concat(options, resources, c.extra), err
}

func resourceOptions(c Config) ([]libp2p.Option, error) {
	if c.Minimal {
		return []libp2p.Option{
			libp2p.ResourceManager(&network.NullResourceManager{}),
			libp2p.ConnectionManager(connmgr.NullConnMgr{}),
		}, nil
	}
	limits, err := newLimits(c.Degree, c.Members)
	if err != nil {
		return nil, err
	}
	connections, err := basicconnmgr.NewConnManager(c.Members+32, 2*c.Members+64,
		basicconnmgr.WithGracePeriod(time.Minute))
	if err != nil {
		return nil, fmt.Errorf("start the connection manager: %w", err)
	}
	return []libp2p.Option{libp2p.ResourceManager(limits), libp2p.ConnectionManager(connections)}, nil
}

// newMuxer returns yamux for few streams with large frames: a window that fills a long fast path
// from the start, larger messages, and patience with slow links, where the default kills a connection
// whose one message takes 10 s.
func newMuxer(t Timing) *yamux.Transport {
	config := *yamux.DefaultTransport.Config()
	config.InitialStreamWindowSize = 4 << 20
	config.MaxStreamWindowSize = 64 << 20
	config.MaxMessageSize = 256 << 10
	config.ConnectionWriteTimeout = max(t.Stall, time.Minute)
	config.MaxIncomingStreams = math.MaxUint32 // the resource manager limits them
	return (*yamux.Transport)(&config)
}

// listen opens the addresses one by one, so that an error names the one that cannot be used.
func listen(h host.Host, addrs []string) error {
	parsed, err := parseAddrs(addrs)
	if err != nil {
		return err
	}
	for i, addr := range parsed {
		if err := h.Network().Listen(addr); err != nil {
			return fmt.Errorf("cannot listen on %s: %w", addrs[i], explainListen(err))
		}
	}
	return nil
}

// explainListen tells the usual causes in words; the caller may know more, such as who uses a port.
func explainListen(err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE) || strings.Contains(err.Error(), "address already in use"):
		return fmt.Errorf("%w: use another port, or port 0 for any", ErrInUse)
	case errors.Is(err, syscall.EACCES) || strings.Contains(err.Error(), "permission denied"):
		return errors.New("not permitted: use a port above 1023")
	case strings.Contains(err.Error(), "cannot assign requested address"):
		return errors.New("this machine has no such address: use 0.0.0.0 for all")
	}
	return err
}

// ErrInUse is in the error of Open when another process listens on the address.
var ErrInUse = errors.New("in use")

func parseAddrs(addrs []string) ([]ma.Multiaddr, error) {
	parsed := make([]ma.Multiaddr, len(addrs))
	for i, addr := range addrs {
		var err error
		if parsed[i], err = ma.NewMultiaddr(addr); err != nil {
			return nil, fmt.Errorf("address %q: %w", addr, err)
		}
	}
	return parsed, nil
}
