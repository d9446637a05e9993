package sim

import (
	"math"

	"github.com/starling-ml/starling/consensus"
)

// Link is how a peer is attached to the network. Its uplink carries one estimate at a time; what has
// left it arrives after the latency. Downlinks are unlimited.
type Link struct {
	Rate    float64            // bits per second of the uplink; 0: estimates leave at once
	Latency consensus.Duration // from the end of a transmission to the arrival
	Jitter  consensus.Duration // the latency varies uniformly by up to this much, never below zero
	Loss    float64            // share of the estimates that do not arrive; the sender is told
}

// SetLink changes how a peer is attached, from the next transmission on.
func (n *Network) SetLink(name consensus.Peer, link Link) { n.byName[name].Link = link }

// controlBytes is what an agreement message is counted as; its transmission takes no time.
const controlBytes = 64

// uplink is the queue of estimates that wait for the network card of a peer.
type uplink struct {
	waiting []consensus.Send // oldest first
	busy    bool             // one is being transmitted
	turn    int              // which neighbour is served first in the next publish
}

// lane keeps messages of one kind between two peers in order, as a stream does.
type lane struct {
	to      consensus.Peer
	control bool
}

// enqueue puts the estimates of one Step in the uplink, with another neighbour first every time, and
// replaces those that a newer one makes useless.
func (n *Network) enqueue(p *peer) {
	if len(p.batch) == 0 {
		return
	}
	first := p.uplink.turn % len(p.batch)
	p.uplink.turn++
	for i := range p.batch {
		n.queueFrame(p, p.batch[(first+i)%len(p.batch)])
	}
	n.transmit(p)
}

// queueFrame appends an estimate, or lets it take the place of a replaceable one for the same peer.
func (n *Network) queueFrame(p *peer, s consensus.Send) {
	for i, old := range p.uplink.waiting {
		if old.To == s.To && old.Replace {
			p.uplink.waiting[i] = s
			n.fail(p, old)
			return
		}
	}
	p.uplink.waiting = append(p.uplink.waiting, s)
}

func (n *Network) fail(p *peer, s consensus.Send) {
	n.after(p, 0, func() {
		n.step(p, consensus.SendFailed{To: s.To, Seq: s.Message.(consensus.Estimate).Seq})
	})
}

// transmit starts the next estimate when the uplink is free.
func (n *Network) transmit(p *peer) {
	if p.uplink.busy || p.paused || len(p.uplink.waiting) == 0 {
		return
	}
	s := p.uplink.waiting[0]
	p.uplink.waiting = p.uplink.waiting[:copy(p.uplink.waiting, p.uplink.waiting[1:])]
	p.uplink.busy = true
	n.after(p, n.airtime(p, s), func() {
		p.uplink.busy = false
		n.transmitted(p, s)
		n.transmit(p)
	})
}

// airtime is how long the uplink of p is busy with an estimate.
func (n *Network) airtime(p *peer, s consensus.Send) consensus.Duration {
	if p.Link.Rate == 0 {
		return 0
	}
	took := math.Round(float64(8*n.size(s)) / p.Link.Rate * 1e9)
	return consensus.Duration(min(took, float64(forever)))
}

// size is the length of an estimate in bytes: Config.FrameBytes is that of dense parameters alone.
func (n *Network) size(s consensus.Send) int {
	e := s.Message.(consensus.Estimate)
	payload := 4*len(e.Params) + len(e.Frame) + 4*len(e.Extra)
	return max(0, n.config.FrameBytes-4*len(n.config.Params)+payload)
}

// transmitted hands an estimate to the network, or gives it up when the other end cannot be reached.
func (n *Network) transmitted(p *peer, s consensus.Send) {
	to := n.byName[s.To]
	if to.machine == nil || to.side != p.side {
		n.fail(p, s)
		return
	}
	n.sent += uint64(n.size(s))
	if p.Link.Loss > 0 && n.losses.Float64() < p.Link.Loss {
		n.fail(p, s)
		return
	}
	n.deliver(p, s, false)
	n.step(p, consensus.Sent{To: s.To, Seq: s.Message.(consensus.Estimate).Seq})
}

// control sends an agreement message. These are tiny and have a stream of their own: they pass the
// estimates that wait in the uplink and keep their order among themselves.
func (n *Network) control(p *peer, s consensus.Send) {
	n.sent += controlBytes
	if n.byName[s.To].side == p.side {
		n.deliver(p, s, true)
	}
}

// deliver lets a message arrive after the latency, never before an earlier one of its lane.
func (n *Network) deliver(p *peer, s consensus.Send, control bool) {
	to := n.byName[s.To]
	key := lane{to: s.To, control: control}
	at := max(n.now+consensus.Time(n.latency(p)), p.lanes[key])
	p.lanes[key] = at
	life := to.life
	n.queue.push(at, func() {
		if to.life == life {
			n.step(to, consensus.Received{From: p.Name, Message: s.Message})
		}
	})
}

func (n *Network) latency(p *peer) consensus.Duration {
	if p.Link.Jitter == 0 {
		return p.Link.Latency
	}
	spread := n.jitter.Int64N(2*int64(p.Link.Jitter)+1) - int64(p.Link.Jitter)
	return max(0, p.Link.Latency+consensus.Duration(spread))
}
