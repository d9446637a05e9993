package node

import (
	"hash/fnv"
	"slices"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/gossip"
	"github.com/starling-ml/starling/topology"
)

// members is who takes part in the run as far as this peer knows. The graph is computed from the list
// alone, so peers that hold the same list hold the same graph.
type members struct {
	self  consensus.Peer
	fixed []consensus.Peer             // from the configuration, by vertex; nil: whoever is alive
	seen  map[consensus.Peer]time.Time // when a member that is not fixed was alive last
	names map[consensus.Peer]string
	list  []consensus.Peer // in force, by vertex
}

func newMembers(self consensus.Peer, fixed []string) members {
	m := members{
		self: self, seen: map[consensus.Peer]time.Time{}, names: map[consensus.Peer]string{},
		list: []consensus.Peer{self},
	}
	for _, id := range fixed {
		m.fixed = append(m.fixed, consensus.Peer(id))
	}
	if m.fixed != nil {
		m.list = m.fixed
	}
	return m
}

// hear takes the list of live members and tells whether the list in force changed.
func (m *members) hear(live []gossip.Member, now time.Time, forget time.Duration) bool {
	for _, member := range live {
		m.seen[member.Peer] = now
		m.names[member.Peer] = member.Name
	}
	return m.refresh(now, forget)
}

// leave forgets a member that said goodbye.
func (m *members) leave(peer consensus.Peer, now time.Time, forget time.Duration) bool {
	delete(m.seen, peer)
	return m.refresh(now, forget)
}

// refresh drops members that have been silent for too long.
func (m *members) refresh(now time.Time, forget time.Duration) bool {
	if m.fixed != nil {
		return false
	}
	list := []consensus.Peer{m.self}
	for peer, at := range m.seen {
		if peer == m.self {
			continue
		}
		if now.Sub(at) > forget {
			delete(m.seen, peer)
			continue
		}
		list = append(list, peer)
	}
	slices.Sort(list)
	changed := !slices.Equal(list, m.list)
	m.list = list
	return changed
}

// name is what people call a member.
func (m *members) name(peer consensus.Peer) string {
	if name := m.names[peer]; name != "" {
		return name
	}
	return string(peer)
}

// epoch is the fingerprint of the list in force: equal lists, and only they, have equal epochs.
func (m *members) epoch() uint64 {
	h := fnv.New64a()
	for _, peer := range m.list {
		h.Write([]byte(peer))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// neighbours are the members next to this one in a graph over the list in force.
func (m *members) neighbours(g *topology.Graph) []consensus.Peer {
	at := slices.Index(m.list, m.self)
	if at < 0 {
		return nil
	}
	var peers []consensus.Peer
	for _, v := range g.Neighbours(at) {
		peers = append(peers, m.list[v])
	}
	return peers
}
