package sim

import "github.com/starling-ml/starling/consensus"

// Slow multiplies the step times of a peer by factor, from now on and for the rest of its running
// block; 1 is its own pace again.
func (n *Network) Slow(name consensus.Peer, factor float64) {
	p := n.byName[name]
	if b := p.block; b != nil {
		change := factor / p.slow
		if p.paused {
			b.left = stretch(b.left, change)
		} else {
			n.finishIn(p, stretch(consensus.Duration(b.end-n.now), change))
		}
	}
	p.slow = factor
}

// Pause stops a peer as SIGSTOP does: it computes and answers nothing until Resume. Its neighbours
// count it as gone when the silence lasts.
func (n *Network) Pause(name consensus.Peer) {
	p := n.byName[name]
	if p.machine == nil || p.paused {
		return
	}
	p.paused = true
	if p.block != nil {
		p.block.left = consensus.Duration(p.block.end - n.now)
	}
	p.absences++
	absence := p.absences
	n.after(p, n.config.Silence, func() {
		if p.paused && p.absences == absence {
			n.leave(p)
			n.remove(p)
		}
	})
}

// Resume lets a paused peer go on where it stopped.
func (n *Network) Resume(name consensus.Peer) {
	p := n.byName[name]
	if !p.paused {
		return
	}
	p.paused = false
	held := p.held
	p.held = nil
	if p.block != nil {
		n.finishIn(p, p.block.left)
	}
	for _, ev := range held {
		n.after(p, 0, func() { n.step(p, ev) })
	}
	n.transmit(p)
	if p.away {
		n.join(p)
	}
}

// Kill ends a peer as SIGKILL does. Its neighbours see their connections close at once; the others
// take it off the member list when the silence lasts.
func (n *Network) Kill(name consensus.Peer) { n.end(n.byName[name], n.config.Silence) }

// Leave ends a peer that says goodbye: everybody takes it off the member list one latency later.
func (n *Network) Leave(name consensus.Peer) {
	p := n.byName[name]
	n.end(p, p.Link.Latency)
}

// end ends a peer, which is a member for a while longer.
func (n *Network) end(p *peer, longer consensus.Duration) {
	if p.machine == nil {
		return
	}
	if !p.away {
		n.leave(p)
	}
	p.life++
	p.machine, p.block, p.held, p.batch = nil, nil, nil, nil
	p.paused, p.owed, p.uplink = false, 0, uplink{}
	p.absences++
	absence := p.absences
	n.queue.push(n.now+consensus.Time(longer), func() {
		if p.absences == absence {
			n.remove(p)
		}
	})
}

// Restart starts a peer that is not running, from its last checkpoint. Without one, as a late peer is,
// or when fresh is asked for, it joins as a newcomer.
func (n *Network) Restart(name consensus.Peer, fresh bool) error {
	p := n.byName[name]
	if p.machine != nil {
		return nil
	}
	p.absences++
	if fresh {
		p.saved = nil
	}
	if err := n.boot(p, nil); err != nil {
		return err
	}
	n.join(p)
	return nil
}
