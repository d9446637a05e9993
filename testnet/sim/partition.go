package sim

import "github.com/starling-ml/starling/consensus"

// Side puts a peer on a side of a partition. What peers of two sides send each other does not arrive, and
// when that has lasted for the silence they take each other for gone: links and member lists go by sides.
// Everybody starts on side 0, and a peer that is back there is in touch at once.
func (n *Network) Side(name consensus.Peer, side int) {
	p := n.byName[name]
	p.side, p.sided = side, n.now
	at := n.now
	if side != 0 {
		at += consensus.Time(n.config.Silence)
	}
	if at != n.noticed { // one notice for all peers that change sides together
		n.noticed = at
		n.queue.push(at, n.notice)
	}
}

// notice makes known which peers are on other sides by now.
func (n *Network) notice() {
	before := make([]int, len(n.peers))
	moved := false
	for v, p := range n.peers {
		before[v] = p.seen
		if p.side == 0 || n.now >= p.sided+consensus.Time(n.config.Silence) {
			p.seen = p.side
		}
		moved = moved || p.seen != before[v]
	}
	if !moved {
		return
	}
	for _, e := range n.config.Graph.Edges() {
		p, q := n.peers[e.U], n.peers[e.V]
		was, is := before[e.U] == before[e.V], p.seen == q.seen
		switch {
		case was && !is && !p.away && !q.away:
			n.part(p, q, 0)
		case !was && is:
			n.meet(p, q)
		}
	}
	n.rewire()
}
