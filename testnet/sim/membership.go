package sim

import (
	"fmt"
	"slices"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// boot gives a peer a machine, from its checkpoint if it has one, and starts it now. A peer without a
// checkpoint joins a run that is under way.
func (n *Network) boot(p *peer, connected []consensus.Peer) error {
	p.lanes = map[lane]consensus.Time{}
	p.wake = consensus.Never
	v := n.views[p.seen]
	config := consensus.Config{
		Self:      p.Name,
		Epoch:     v.epoch,
		Members:   v.members,
		Graph:     v.graph,
		Slow:      v.slow,
		Roster:    v.roster,
		Params:    n.config.Params,
		Options:   n.config.Options,
		Seed:      n.config.Seed,
		Connected: connected,
		Join:      p.saved == nil && n.now > 0,
		SaveEvery: n.config.SaveEvery,
	}
	p.epoch = v.epoch
	if err := n.load(p, config); err != nil {
		return fmt.Errorf("peer %s: %w", p.Name, err)
	}
	n.after(p, 0, func() { n.step(p, consensus.Wake{}) })
	return nil
}

// present returns the names of the neighbours of p that are there from the start.
func (n *Network) present(p *peer) []consensus.Peer {
	var names []consensus.Peer
	for _, j := range n.config.Graph.Neighbours(p.vertex) {
		if !n.peers[j].Late {
			names = append(names, n.peers[j].Name)
		}
	}
	return names
}

// load makes the machine and puts the trainer where it was.
func (n *Network) load(p *peer, config consensus.Config) (err error) {
	trainer := p.fresh
	if p.saved == nil {
		p.machine, err = consensus.New(config)
	} else {
		p.machine, err = consensus.Restore(config, p.saved.state)
		trainer = p.saved.trainer
	}
	if err != nil || p.Trainer == nil {
		return err
	}
	return p.Trainer.Restore(trainer)
}

// save takes a checkpoint of a peer.
func (n *Network) save(p *peer) {
	p.saved = &checkpoint{state: p.machine.State()}
	if p.Trainer == nil {
		return
	}
	state, err := p.Trainer.State()
	if err != nil {
		panic(fmt.Sprintf("sim: state of the trainer of peer %s: %v", p.Name, err))
	}
	p.saved.trainer = state
}

// leave tells the neighbours of p that it is gone, one latency later.
func (n *Network) leave(p *peer) {
	p.away = true
	for _, j := range n.config.Graph.Neighbours(p.vertex) {
		n.part(p, n.peers[j], p.Link.Latency)
	}
}

// part tells both ends of a link, in a while, that the other one is gone.
func (n *Network) part(p, q *peer, wait consensus.Duration) {
	n.after(q, wait, func() { n.step(q, consensus.Left{Peer: p.Name}) })
	n.after(p, wait, func() { n.step(p, consensus.Left{Peer: q.Name}) })
}

// join brings p back: onto the member list, and one latency later into touch with its neighbours.
func (n *Network) join(p *peer) {
	p.away = false
	if p.removed {
		p.removed = false
		n.rewire()
	}
	for _, j := range n.config.Graph.Neighbours(p.vertex) {
		n.meet(p, n.peers[j])
	}
}

// meet tells both ends of a link, one latency later, that the other one is there. One that is away
// meets the other when it comes back.
func (n *Network) meet(p, q *peer) {
	if p.away || q.away || p.seen != q.seen {
		return
	}
	n.after(q, p.Link.Latency, func() { n.step(q, consensus.Joined{Peer: p.Name}) })
	n.after(p, p.Link.Latency, func() { n.step(p, consensus.Joined{Peer: q.Name}) })
}

// remove takes a silent peer off the member list.
func (n *Network) remove(p *peer) {
	p.removed = true
	n.rewire()
}

// rewire tells every peer the member list and the graph that is left, at the same instant.
func (n *Network) rewire() {
	n.look()
	for _, p := range n.peers {
		v := n.views[p.seen]
		if p.removed || p.machine == nil || p.epoch == v.epoch {
			continue
		}
		p.epoch = v.epoch
		n.after(p, 0, func() {
			n.step(p, consensus.Rewired{
				Epoch: v.epoch, Members: v.members, Graph: v.graph, Slow: v.slow, Roster: v.roster,
			})
		})
	}
}

// view is a member list, the graph among its members, and those of them that everybody knows to be slow.
type view struct {
	epoch   uint64
	members []consensus.Peer
	graph   *topology.Graph
	slow    []consensus.Peer
	roster  *consensus.Roster
}

// look makes the views of all sides; without a partition there is one.
func (n *Network) look() {
	vertices := map[int][]int{}
	for _, p := range n.peers {
		vertices[p.seen] = append(vertices[p.seen], p.vertex)
	}
	clear(n.views)
	for side, all := range vertices {
		n.views[side] = n.view(slices.DeleteFunc(all, func(v int) bool { return n.peers[v].removed }))
	}
}

// view is what the peers at some vertices know.
func (n *Network) view(vertices []int) *view {
	v := &view{graph: n.config.Graph}
	for _, vertex := range vertices {
		p := n.peers[vertex]
		v.members = append(v.members, p.Name)
		if p.Slow {
			v.slow = append(v.slow, p.Name)
		}
	}
	if len(vertices) < len(n.peers) {
		v.graph = induced(n.config.Graph, vertices)
	}
	v.epoch, v.roster = epoch(v.members), consensus.NewRoster(v.members, v.slow)
	return v
}

// induced returns the graph among some vertices, renumbered in their order.
func induced(g *topology.Graph, vertices []int) *topology.Graph {
	part := topology.New(len(vertices))
	for _, e := range g.Edges() {
		u, inU := slices.BinarySearch(vertices, e.U)
		v, inV := slices.BinarySearch(vertices, e.V)
		if inU && inV {
			if err := part.Add(u, v, e.Weight); err != nil {
				panic(err) // an edge of g joins two different vertices
			}
		}
	}
	return part
}

// epoch is the fingerprint of a member list.
func epoch(members []consensus.Peer) uint64 {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = string(m)
	}
	return seed.Derive(0, names...)
}
