package gossip

import (
	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// Mesh is a running host with its links. All methods may be called from any goroutine.
type Mesh struct{}

// Open starts a host, listens, and begins to contact peers. It fails only for what this machine
// can know at once: a bad Config, or an address that cannot be listened on.
func Open(c Config) (*Mesh, error) { panic("being built") }

// ID returns the name of this peer.
func (m *Mesh) ID() consensus.Peer { panic("being built") }

// Addrs returns the addresses at which others can dial this peer, ending in /p2p/<id>.
func (m *Mesh) Addrs() []string { panic("being built") }

// Events returns the channel of events, which Close closes.
func (m *Mesh) Events() <-chan Event { panic("being built") }

// SetNeighbours says with whom to keep links, and the fingerprint of the member list behind that
// choice. Links to others go down.
func (m *Mesh) SetNeighbours(epoch uint64, peers []consensus.Peer) { panic("being built") }

// Send queues a message for a neighbour. An estimate with replace may be dropped for a newer one.
func (m *Mesh) Send(to consensus.Peer, message consensus.Message, replace bool) {
	panic("being built")
}

// Announce tells all members about this peer's progress; Run and Name are filled in.
func (m *Mesh) Announce(summary wire.Summary) { panic("being built") }

// Members returns the live members sorted by peer, this one included.
func (m *Mesh) Members() []Member { panic("being built") }

// Contacts returns the state of every configured and discovered address.
func (m *Mesh) Contacts() []Contact { panic("being built") }

// Stats returns totals and the links that are up.
func (m *Mesh) Stats() Stats { panic("being built") }

// Close says goodbye to the neighbours and ends everything that Open started.
func (m *Mesh) Close() error { panic("being built") }
