package gossip

import (
	"fmt"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/p2p/discovery/mdns"
	ma "github.com/multiformats/go-multiaddr"
	"go.uber.org/zap"
)

// contacts are the configured peers, with the addresses of one peer together.
func (c Config) contacts() []peer.AddrInfo {
	var all []peer.AddrInfo
	for _, addr := range c.Peers {
		info, err := peer.AddrInfoFromString(addr)
		if err != nil || info.ID == c.Key.id { // Validate has refused the former
			continue
		}
		i := slices.IndexFunc(all, func(other peer.AddrInfo) bool { return other.ID == info.ID })
		if i < 0 {
			all = append(all, *info)
		} else {
			all[i].Addrs = append(all[i].Addrs, info.Addrs...)
		}
	}
	return all
}

// contact begins to contact a peer, unless that was begun before.
func (m *Mesh) contact(info peer.AddrInfo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.contacts[info.ID] != nil || len(m.contacts) >= introductions {
		return
	}
	m.host.ConnManager().Protect(info.ID, "contact")
	// Connecting would keep them for two minutes only.
	m.host.Peerstore().AddAddrs(info.ID, info.Addrs, peerstore.PermanentAddrTTL)
	c := m.newContact(info)
	if m.beginLocked(c.run) {
		m.contacts[info.ID] = c
	}
}

// startMDNS looks for peers of the run in the local network. Where that is impossible, as in many
// containers, it is logged and the peer goes on without.
func (m *Mesh) startMDNS() {
	if !m.config.MDNS {
		return
	}
	service := fmt.Sprintf("_starling-%s._udp", m.format.Run.String()[:8])
	m.mdns = mdns.NewMdnsService(m.host, service, (*finder)(m))
	if err := m.mdns.Start(); err != nil {
		m.log.Warn("cannot look for peers in the local network", zap.Error(err))
		m.mdns = nil
	}
}

// finder takes the peers that mDNS finds.
type finder Mesh

var _ mdns.Notifee = (*finder)(nil)

// HandlePeerFound contacts the peer.
func (f *finder) HandlePeerFound(info peer.AddrInfo) {
	m := (*Mesh)(f)
	if info.ID == m.host.ID() {
		return
	}
	m.log.Info("found in the local network", zap.Stringer("peer", info.ID))
	m.contact(peer.AddrInfo{ID: info.ID, Addrs: ma.Unique(info.Addrs)})
}
