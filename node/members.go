package node

import (
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/gossip"
	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/topology"
)

// members is who takes part in the run as far as this peer knows. The graph is computed from the list
// alone, so peers that hold the same list hold the same graph.
type members struct {
	self   consensus.Peer
	fixed  []consensus.Peer             // from the configuration, by vertex; nil: whoever is alive
	alive  map[consensus.Peer]bool      // as the mesh told last
	silent map[consensus.Peer]time.Time // since when those are missing that did not say goodbye
	bye    map[consensus.Peer]bool      // said goodbye and may still be in the list
	names  map[consensus.Peer]string
	list   []consensus.Peer // in force, by vertex
}

func newMembers(self consensus.Peer, fixed []string) members {
	m := members{
		self: self, alive: map[consensus.Peer]bool{}, silent: map[consensus.Peer]time.Time{},
		bye: map[consensus.Peer]bool{}, names: map[consensus.Peer]string{},
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

// hear takes who is alive and who said goodbye, and tells whether the list in force changed.
func (m *members) hear(heard gossip.MembersChanged, now time.Time, forget time.Duration) bool {
	before := m.alive
	m.alive, m.bye = map[consensus.Peer]bool{}, map[consensus.Peer]bool{}
	for _, peer := range heard.Left {
		m.bye[peer] = true
	}
	for _, member := range heard.Members {
		m.alive[member.Peer] = true
		m.names[member.Peer] = member.Name
		delete(m.silent, member.Peer)
		delete(m.bye, member.Peer)
	}
	for peer := range before {
		if !m.alive[peer] {
			m.silent[peer] = now
		}
	}
	changed := m.refresh(now, forget)
	maps.DeleteFunc(m.names, func(peer consensus.Peer, _ string) bool {
		return !m.bye[peer] && !slices.Contains(m.list, peer)
	})
	return changed
}

// leave forgets a member that said goodbye.
func (m *members) leave(peer consensus.Peer, now time.Time, forget time.Duration) bool {
	m.bye[peer] = true
	return m.refresh(now, forget)
}

// changes tells who came and went since an earlier list.
func (m *members) changes(before []consensus.Peer) []observe.Member {
	var changes []observe.Member
	for _, peer := range m.list {
		if !slices.Contains(before, peer) {
			changes = append(changes, observe.Member{Change: "join", Peer: string(peer)})
		}
	}
	for _, peer := range before {
		switch {
		case slices.Contains(m.list, peer):
		case m.bye[peer]:
			changes = append(changes, observe.Member{Change: "leave", Peer: string(peer)})
		default:
			changes = append(changes, observe.Member{Change: "evict", Peer: string(peer), Reason: "silent"})
		}
	}
	return changes
}

// refresh makes the list anew: whoever is alive, and whoever is silent for less than forget.
func (m *members) refresh(now time.Time, forget time.Duration) bool {
	if m.fixed != nil {
		return false
	}
	list := []consensus.Peer{m.self}
	for peer := range m.alive {
		if peer != m.self && !m.bye[peer] {
			list = append(list, peer)
		}
	}
	for peer, since := range m.silent {
		if m.bye[peer] || now.Sub(since) >= forget {
			delete(m.silent, peer)
			continue
		}
		list = append(list, peer)
	}
	slices.Sort(list)
	changed := !slices.Equal(list, m.list)
	m.list = list
	return changed
}

// name is what people call a member, with the start of its id where two have the same name.
func (m *members) name(peer consensus.Peer) string {
	name := m.names[peer]
	if name == "" {
		return string(peer)
	}
	for other, same := range m.names {
		if same == name && other != peer {
			return name + "/" + observe.ShortID(string(peer))
		}
	}
	return name
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
