package consensus

import "github.com/starling-ml/starling/vec"

// tryPublish publishes unless the recipe skips publishes while the uplink is busy. A skipped publish
// is not made up for: the next one carries everything.
func (m *Machine) tryPublish(steps int, midBlock bool) {
	if !m.skipBusy || !m.uplinkBusy() {
		m.publish(steps, midBlock)
		return
	}
	m.emit(Published{
		Round: m.round, Seq: m.seq, Steps: steps, Loss: m.loss, MidBlock: midBlock, Skipped: true,
	})
}

// publish sends the estimate to all live neighbours, or to the mates of its round, before it is mixed.
// steps are the local steps of the block behind it, 0 in the middle of a block.
func (m *Machine) publish(steps int, midBlock bool) {
	m.seq++
	toAll := m.speaksToAll()
	m.last = Estimate{
		Epoch: m.view.epoch, Round: m.round, Seq: m.seq, Steps: m.steps, StepTime: m.pace.step,
		Degree: m.view.live(), Loss: m.loss, Work: steps, Params: m.x,
	}
	m.flight = flight{seq: m.seq, began: m.now}
	to := 0
	for i, n := range m.view.neighbours {
		if n.live && (toAll || m.meets(i)) && m.send(n) {
			to++
		}
	}
	m.flight.waitsFor = to
	m.emit(Published{
		Round: m.round, Seq: m.seq, Steps: steps, Loss: m.loss, To: to, MidBlock: midBlock, Codec: m.flight.codec,
	})
}

// send hands the last publish to the uplink for one neighbour, if the link has something to send.
func (m *Machine) send(n *neighbour) bool {
	message := m.last
	if m.link != nil {
		var some bool
		if message, some = m.link.frame(m, n); !some {
			return false
		}
	}
	m.flight.bytes += 4*len(message.Params) + len(message.Frame)
	m.flight.whole += 4 * len(m.x)
	if message.Frame != nil {
		m.flight.codec = m.options.Codec.Kind
	}
	m.sendEstimate(n, message)
	return true
}

// sendEstimate hands an estimate to the uplink for one neighbour.
func (m *Machine) sendEstimate(n *neighbour, e Estimate) {
	n.queued, n.resolved, n.retry = e.Seq, min(n.resolved, e.Seq-1), Never
	m.emit(Send{To: n.name, Message: e, Replace: m.replace})
}

// resend gives the last publish to a neighbour that did not get it with the others.
func (m *Machine) resend(n *neighbour) {
	if m.send(n) && m.flight.waitsFor > 0 {
		m.flight.waitsFor++
	}
}

// flight follows one publish until all its frames have left, to measure how long that takes.
type flight struct {
	seq      uint64
	began    Time
	lastSent Time // 0: none yet
	waitsFor int
	bytes    int           // of the parameters in all copies
	whole    int           // the same without a codec
	codec    vec.CodecKind // of a copy; empty: all are whole
}

// sent takes note that an estimate has left the uplink. Newer ones replace or follow older ones, so
// everything up to it is resolved.
func (m *Machine) sent(to Peer, seq uint64) {
	n := m.view.find(to)
	if n == nil || seq > n.queued {
		m.ignore(to, ReasonNoPublish)
		return
	}
	if m.link != nil {
		defer m.link.resolved(m, n, seq, true)
	}
	if seq <= n.resolved { // one that replaced it in the queue has failed since
		m.ignore(to, ReasonNoPublish)
		return
	}
	n.resolved = seq
	if seq == m.flight.seq {
		m.flight.lastSent = m.now
		m.land()
	}
}

// sendFailed takes note that an estimate will not arrive. It is sent again unless a newer one is on the
// way or the recipe does not depend on it: somebody may wait for it.
func (m *Machine) sendFailed(to Peer, seq uint64) {
	n := m.view.find(to)
	if n == nil || seq > n.queued || seq <= n.resolved {
		m.ignore(to, ReasonNoPublish)
		return
	}
	n.resolved = seq
	if seq == m.flight.seq {
		m.land()
	}
	if m.link != nil {
		m.link.resolved(m, n, seq, false)
	}
	if !m.skipBusy && n.live && m.needed(n, seq) {
		n.retry = m.now + Time(m.retryPause())
	}
}

// land counts a frame of the publish in flight; the last one gives the time of sending to everybody.
func (m *Machine) land() {
	if m.flight.waitsFor == 0 {
		return
	}
	m.flight.waitsFor--
	if m.flight.waitsFor == 0 && m.flight.lastSent > m.flight.began {
		took := Duration(m.flight.lastSent - m.flight.began)
		m.pace.sendTook(took, float64(m.flight.whole)/float64(m.flight.bytes))
	}
}

// uplinkBusy tells whether a frame is still queued or being sent.
func (m *Machine) uplinkBusy() bool {
	for _, n := range m.view.neighbours {
		if n.busy() {
			return true
		}
	}
	return false
}

// retryPause keeps a link that fails at once from turning into a busy loop.
func (m *Machine) retryPause() Duration { return max(m.medianBlock(), Second/10) }

// retry sends the last publish again where it failed and the pause is over.
func (m *Machine) retry() {
	for _, n := range m.view.neighbours {
		if n.retry <= m.now {
			m.resend(n)
		}
	}
}

// nextRetry returns the time of the next retry.
func (m *Machine) nextRetry() Time {
	next := Never
	for _, n := range m.view.neighbours {
		next = min(next, n.retry)
	}
	return next
}
