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
	config := consensus.Config{
		Self:      p.Name,
		Params:    n.config.Params,
		Options:   n.config.Options,
		Connected: connected,
		Join:      p.saved == nil && n.now > 0,
		SaveEvery: n.config.SaveEvery,
	}
	config.Members, config.Graph = n.view()
	config.Slow = n.known(config.Members)
	config.Epoch = epoch(config.Members)
	p.epoch = config.Epoch
	if err := n.load(p, config); err != nil {
		return fmt.Errorf("peer %s: %w", p.Name, err)
	}
	n.after(p, 0, func() { n.step(p, consensus.Wake{}) })
	return nil
}

// neighbours returns the names of the neighbours of p, all of them.
func (n *Network) neighbours(p *peer) []consensus.Peer {
	var names []consensus.Peer
	for _, j := range n.config.Graph.Neighbours(p.vertex) {
		names = append(names, n.peers[j].Name)
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
		q := n.peers[j]
		n.after(q, p.Link.Latency, func() { n.step(q, consensus.Left{Peer: p.Name}) })
		n.after(p, p.Link.Latency, func() { n.step(p, consensus.Left{Peer: q.Name}) })
	}
}

// join brings p back: onto the member list, and one latency later into touch with its neighbours.
func (n *Network) join(p *peer) {
	p.away = false
	if p.removed {
		p.removed = false
		n.rewire()
	}
	for _, j := range n.config.Graph.Neighbours(p.vertex) {
		q := n.peers[j]
		if q.away {
			continue // it will join p when it comes back
		}
		n.after(q, p.Link.Latency, func() { n.step(q, consensus.Joined{Peer: p.Name}) })
		n.after(p, p.Link.Latency, func() { n.step(p, consensus.Joined{Peer: q.Name}) })
	}
}

// remove takes a silent peer off the member list.
func (n *Network) remove(p *peer) {
	p.removed = true
	n.rewire()
}

// rewire tells every peer the member list and the graph that is left, at the same instant.
func (n *Network) rewire() {
	members, graph := n.view()
	slow, now := n.known(members), epoch(members)
	for _, p := range n.peers {
		if p.removed || p.machine == nil || p.epoch == now {
			continue
		}
		p.epoch = now
		n.after(p, 0, func() {
			n.step(p, consensus.Rewired{Epoch: now, Members: members, Graph: graph, Slow: slow})
		})
	}
}

// view returns the member list and the graph among its members.
func (n *Network) view() ([]consensus.Peer, *topology.Graph) {
	var members []consensus.Peer
	var vertices []int
	for i, c := range n.config.Peers {
		if i >= len(n.peers) || !n.peers[i].removed {
			members = append(members, c.Name)
			vertices = append(vertices, i)
		}
	}
	if len(members) == len(n.config.Peers) {
		return members, n.config.Graph
	}
	return members, induced(n.config.Graph, vertices)
}

// known returns the members that everybody knows to be slow.
func (n *Network) known(members []consensus.Peer) []consensus.Peer {
	var slow []consensus.Peer
	for _, name := range members {
		if n.byName[name].Slow {
			slow = append(slow, name)
		}
	}
	return slow
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
