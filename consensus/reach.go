package consensus

import (
	"slices"

	"github.com/starling-ml/starling/topology"
)

// reach is what floods told about distant members: who has finished which round, and who cannot be
// reached by a neighbour of his.
//
// In every round each peer floods which of its neighbours are not live, so in one round all peers
// that can hear each other come to the same view of who is gone, without a clock and without a vote;
// and a peer that comes back is simply not announced any more.
type reach struct {
	version int
	members []Peer
	done    horizon // who has finished which round
	gone    horizon // who was announced gone for which round

	around  []bool // of the last call of reached
	without []bool // who was missing then
}

// horizon holds for every member the latest round that was told of it.
type horizon struct {
	after  []uint64 // by vertex: that round plus 1; 0: none
	newest uint64   // the largest of after
}

// raise notes a round and tells whether it is news.
func (h *horizon) raise(vertex int, round uint64) bool {
	if h.after[vertex] >= round+1 {
		return false
	}
	h.put(vertex, round+1)
	return true
}

func (h *horizon) put(vertex int, after uint64) {
	h.after[vertex] = after
	h.newest = max(h.newest, after)
}

// sync carries what was told over to a new member list.
func (r *reach) sync(m *Machine) {
	if r.version == m.view.version {
		return
	}
	old, n := *r, len(m.view.members)
	*r = reach{
		version: m.view.version, members: m.view.members,
		done: horizon{after: make([]uint64, n)}, gone: horizon{after: make([]uint64, n)},
	}
	for was, name := range old.members {
		if is, ok := m.view.vertex[name]; ok {
			r.done.put(is, old.done.after[was])
			r.gone.put(is, old.gone.after[was])
		}
	}
}

// announceDone floods that this peer has finished its round.
func (r *reach) announceDone(m *Machine) {
	r.sync(m)
	if me, member := m.view.vertex[m.config.Self]; member && r.done.raise(me, m.round) {
		m.flood(Done{Epoch: m.view.epoch, Round: m.round, Peer: m.config.Self}, "")
	}
}

// announceGone floods once a round which neighbours of this peer are gone.
func (r *reach) announceGone(m *Machine) {
	r.sync(m)
	for _, n := range m.view.neighbours {
		if !n.live && r.gone.raise(m.view.vertex[n.name], m.round) {
			m.flood(Done{Epoch: m.view.epoch, Round: m.round, Peer: n.name, Gone: true}, "")
		}
	}
}

// hear takes a Done and passes it on once.
func (r *reach) hear(m *Machine, from *neighbour, d Done) string {
	r.sync(m)
	vertex, ok := m.view.vertex[d.Peer]
	if !ok {
		m.held.keep(from.name, d)
		return ReasonNotMember
	}
	list := &r.done
	if d.Gone {
		list = &r.gone
	}
	if !list.raise(vertex, d.Round) {
		return ReasonKnown
	}
	m.flood(d, from.name)
	return ""
}

// missing tells by vertex which members are gone: neighbours whose link is down, and those announced
// for the last round or a later one. It returns nil when nobody is.
func (r *reach) missing(m *Machine) []bool {
	r.sync(m)
	var missing []bool
	mark := func(vertex int) {
		if missing == nil {
			missing = make([]bool, len(m.view.members))
		}
		missing[vertex] = true
	}
	me := m.view.vertex[m.config.Self]
	if since := max(m.round, 1); r.gone.newest >= since {
		for vertex, after := range r.gone.after {
			if after >= since && vertex != me {
				mark(vertex)
			}
		}
	}
	for _, n := range m.view.neighbours {
		if !n.live {
			mark(m.view.vertex[n.name])
		} else if missing != nil {
			missing[m.view.vertex[n.name]] = false // seen with one's own eyes
		}
	}
	return missing
}

// reached returns by vertex which members this peer can reach around the missing ones. The slice is
// the same until the answer changes; nil if this peer is no member.
func (r *reach) reached(m *Machine) []bool {
	missing := r.missing(m)
	me, member := m.view.vertex[m.config.Self]
	if !member {
		return nil
	}
	if r.around == nil || !slices.Equal(missing, r.without) {
		r.without = missing
		r.around = component(m.view.graph, me, missing)
	}
	return r.around
}

// component returns by vertex who can be reached from this peer around the missing members.
func component(g *topology.Graph, me int, missing []bool) []bool {
	reached := make([]bool, g.N())
	reached[me] = true
	for queue := []int{me}; len(queue) > 0; queue = queue[1:] {
		for _, next := range g.Neighbours(queue[0]) {
			if !reached[next] && (missing == nil || !missing[next]) {
				reached[next] = true
				queue = append(queue, next)
			}
		}
	}
	return reached
}

// flood sends a message to all live neighbours but one.
func (m *Machine) flood(message Message, except Peer) {
	for _, n := range m.view.neighbours {
		if n.live && n.name != except {
			m.emit(Send{To: n.name, Message: message})
		}
	}
}
