package gossip

import (
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
)

// Head starts of the better ways over the worse ones.
const (
	quicDelay  = 300 * time.Millisecond
	relayDelay = 500 * time.Millisecond
)

// rankDials dials TCP first, because QUIC takes 2.5 times the processor time for bulk data, then QUIC,
// then relays. Ways of the same kind are dialled together.
func rankDials(addrs []ma.Multiaddr) []network.AddrDelay {
	ranked := make([]network.AddrDelay, 0, len(addrs))
	for _, addr := range addrs {
		ranked = append(ranked, network.AddrDelay{Addr: addr, Delay: headStart(addr)})
	}
	slices.SortStableFunc(ranked, func(a, b network.AddrDelay) int { return int(a.Delay - b.Delay) })
	if len(ranked) > 0 { // nobody waits for a better way that does not exist
		first := ranked[0].Delay
		for i := range ranked {
			ranked[i].Delay -= first
		}
	}
	return ranked
}

func headStart(addr ma.Multiaddr) time.Duration {
	switch {
	case has(addr, ma.P_CIRCUIT):
		return relayDelay
	case has(addr, ma.P_TCP):
		return 0
	case manet.IsIPLoopback(addr):
		return quicDelay / 10
	}
	return quicDelay
}

func has(addr ma.Multiaddr, protocol int) bool {
	_, err := addr.ValueForProtocol(protocol)
	return err == nil
}
