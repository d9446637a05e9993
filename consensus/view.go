package consensus

import (
	"slices"
	"strings"

	"github.com/starling-ml/starling/topology"
)

// view is the member list and the graph as this peer holds them, and its neighbours in the order of
// their names, which is the order of every sum.
type view struct {
	self       Peer
	epoch      uint64
	version    int // rises with every Rewired
	members    []Peer
	vertex     map[Peer]int // of every member; shared: read, never written or ranged over
	graph      *topology.Graph
	slow       []bool // by vertex
	neighbours []*neighbour
	linked     map[Peer]bool // peers whose link is up; read, never ranged over
}

// rewire takes a member list and a graph; neighbours that stay keep what is known of them.
func (v *view) rewire(self Peer, r Rewired) {
	old := v.neighbours
	v.self, v.epoch, v.members, v.graph = self, r.Epoch, r.Members, r.Graph
	roster := r.Roster
	if roster == nil {
		roster = NewRoster(r.Members, r.Slow)
	}
	v.vertex, v.slow = roster.vertex, roster.slow
	v.version++
	v.neighbours = nil
	me, member := v.vertex[self]
	if !member {
		drop(old)
		return
	}
	for _, i := range r.Graph.Neighbours(me) {
		v.neighbours = append(v.neighbours, v.keep(old, i))
	}
	slices.SortFunc(v.neighbours, func(a, b *neighbour) int {
		return strings.Compare(string(a.name), string(b.name))
	})
	drop(slices.DeleteFunc(old, func(n *neighbour) bool { return v.find(n.name) == n }))
}

// drop makes sure that nobody waits for neighbours that are none any more.
func drop(old []*neighbour) {
	for _, n := range old {
		n.drop()
	}
}

// keep returns the neighbour at vertex i: the one from old if it is there.
func (v *view) keep(old []*neighbour, i int) *neighbour {
	name := v.members[i]
	for _, n := range old {
		if n.name == name {
			return n
		}
	}
	return &neighbour{name: name, degree: v.graph.Degree(i), live: v.linked[name], retry: Never}
}

// firstReplicas gives every neighbour of the first member list the estimate that all peers of a run
// start from, so the set of replicas is complete before anybody has published.
func (v *view) firstReplicas(params []float32) {
	for _, n := range v.neighbours {
		n.replica.Params = params
	}
}

// arrive stamps the first replicas with the time of the start.
func (v *view) arrive(now Time) {
	for _, n := range v.neighbours {
		if n.replica.Seq == 0 {
			n.replica.arrived = now
		}
	}
}

// find returns the neighbour of that name, or nil.
func (v *view) find(name Peer) *neighbour {
	at, found := slices.BinarySearchFunc(v.neighbours, name, func(n *neighbour, name Peer) int {
		return strings.Compare(string(n.name), string(name))
	})
	if !found {
		return nil
	}
	return v.neighbours[at]
}

// live returns the number of live neighbours.
func (v *view) live() int {
	count := 0
	for _, n := range v.neighbours {
		if n.live {
			count++
		}
	}
	return count
}

// allHeard tells whether every live neighbour has published since its link came up.
func (v *view) allHeard() bool {
	for _, n := range v.neighbours {
		if n.live && n.replica.Seq == 0 {
			return false
		}
	}
	return true
}

// link records that the link to a peer is up and returns the neighbour that became live, or nil.
func (v *view) link(name Peer) *neighbour {
	if v.linked == nil {
		v.linked = map[Peer]bool{}
	}
	v.linked[name] = true
	n := v.find(name)
	if n == nil || n.live {
		return nil
	}
	n.live = true
	return n
}

// unlink records that the link is down.
func (v *view) unlink(name Peer) {
	delete(v.linked, name)
	if n := v.find(name); n != nil && n.live {
		n.drop()
	}
}
