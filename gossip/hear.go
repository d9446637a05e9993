package gossip

import (
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// heardAnnounce takes the announcement of a member.
func (m *Mesh) heardAnnounce(author peer.ID, a wire.Announce) {
	id := consensus.Peer(author.String())
	if a.Leaving {
		m.gone(id)
		return
	}
	m.noteAddrs(author, a.Addrs)
	if m.roster.hear(Member{Peer: id, Name: a.Name, Addrs: a.Addrs}, time.Now()) {
		m.membersChanged()
	}
	if l := m.link(author); l != nil && !l.connected() {
		l.wake() // it is there: no reason to back off any more
	}
}

// heardHello takes what a contact said about itself.
func (m *Mesh) heardHello(info peer.AddrInfo, hello wire.Hello) {
	member := Member{Peer: consensus.Peer(info.ID.String()), Name: hello.Name}
	for _, addr := range info.Addrs {
		member.Addrs = append(member.Addrs, addr.String())
	}
	if m.roster.hear(member, time.Now()) {
		m.membersChanged()
	}
}

// met notes that a neighbour is alive.
func (m *Mesh) met(p consensus.Peer, name string) {
	if m.roster.hear(Member{Peer: p, Name: name}, time.Now()) {
		m.membersChanged()
	}
}

// heardOf takes what a contact said about another member.
func (m *Mesh) heardOf(introduced wire.Introduce) {
	id, err := peer.Decode(string(introduced.Peer))
	if err != nil || id == m.host.ID() {
		return
	}
	m.noteAddrs(id, introduced.Addrs)
	if m.roster.hearsay(Member(introduced), time.Now()) {
		m.membersChanged()
	}
}

// noteAddrs keeps the addresses of a peer for dialling.
func (m *Mesh) noteAddrs(id peer.ID, addrs []string) {
	for _, addr := range addrs {
		if parsed, err := ma.NewMultiaddr(addr); err == nil {
			m.host.Peerstore().AddAddr(id, parsed, addressLife)
		}
	}
}

// gone removes a member that said goodbye.
func (m *Mesh) gone(p consensus.Peer) {
	if m.roster.leave(p, time.Now()) {
		m.membersChanged()
	}
}

// expire removes members that fell silent.
func (m *Mesh) expire(after time.Duration) {
	up := map[consensus.Peer]bool{}
	for _, n := range m.neighbours() {
		up[n.Peer] = true
	}
	if m.roster.expire(time.Now(), after, up) {
		m.membersChanged()
	}
}

// membersKey is the key under which lists of members replace each other.
type membersKey struct{}

func (m *Mesh) membersChanged() {
	m.queue.replace(membersKey{}, func(Event) Event { return m.roster.list() })
}

// watcher wakes whoever waits for a connection to come or go.
type watcher Mesh

var _ network.Notifiee = (*watcher)(nil)

// Connected wakes the link and the contact with the peer.
func (w *watcher) Connected(_ network.Network, c network.Conn) { (*Mesh)(w).nudge(c.RemotePeer()) }

// Disconnected wakes the link and the contact with the peer.
func (w *watcher) Disconnected(_ network.Network, c network.Conn) { (*Mesh)(w).nudge(c.RemotePeer()) }

// Listen does nothing.
func (*watcher) Listen(network.Network, ma.Multiaddr) {}

// ListenClose does nothing.
func (*watcher) ListenClose(network.Network, ma.Multiaddr) {}

func (m *Mesh) nudge(id peer.ID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.links[id]; l != nil {
		l.wake()
	}
	if c := m.contacts[id]; c != nil {
		select {
		case c.kick <- struct{}{}:
		default:
		}
	}
}
