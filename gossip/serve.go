package gossip

import (
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"go.uber.org/zap"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// onFrames serves a stream on which a neighbour sends its messages.
func (m *Mesh) onFrames(p *pipe) {
	id := p.stream.Conn().RemotePeer()
	stop := m.limitHandshake(p)
	hello, err := m.answer(p, func() *wire.Refuse { return m.admitNeighbour(id) })
	stop()
	if err != nil {
		m.noteHandshake(id, err)
		p.stream.Close() //nolint:errcheck // lets the refusal arrive, unlike a reset
		return
	}
	l := m.link(id)
	if l == nil || !m.queue.awaitRoom() {
		reset(p)
		return
	}
	s := l.attach(inbound, p, hello.Name)
	if s == nil {
		reset(p)
		return
	}
	l.wake()
	s.messages(p)
}

// onHello serves the handshake of a peer that makes contact, and introduces the members to it.
func (m *Mesh) onHello(p *pipe) {
	id := p.stream.Conn().RemotePeer()
	defer m.limitHandshake(p)()
	_, err := m.answer(p, m.admitContact)
	if err == nil {
		err = m.introduce(p, consensus.Peer(id.String()))
	}
	if err != nil {
		m.noteHandshake(id, err)
	}
	p.stream.Close() //nolint:errcheck // lets the last packet arrive, unlike a reset
}

func (m *Mesh) admitContact() *wire.Refuse {
	select {
	case <-m.leaving:
		return &wire.Refuse{Code: wire.CodeLeaving, Text: "shutting down"}
	default:
		return nil
	}
}

func (m *Mesh) admitNeighbour(id peer.ID) *wire.Refuse {
	if m.link(id) == nil {
		return &wire.Refuse{Code: wire.CodeStranger, Text: "not a neighbour by my list of members yet"}
	}
	return m.admitContact()
}

// Weights of bad packets in the score of their sender.
const (
	smallOffence = 1.0
	bigOffence   = 4.0 // the stream is lost
)

// offend counts a bad packet and bans its sender when there were too many; it tells whether it did.
func (m *Mesh) offend(id peer.ID, bad *wire.Error) bool {
	m.reject(id, bad.Reason, bad.Detail)
	weight := smallOffence
	if bad.Lost {
		weight = bigOffence
	}
	if !m.offences.add(id, weight, time.Now()) {
		return false
	}
	m.log.Warn("peer banned", zap.Stringer("peer", id), zap.Duration("for", m.timing.Ban), zap.Error(bad))
	if l := m.link(id); l != nil {
		l.expel()
	}
	// Not waited for: closing may block, and the caller may be a stream of this connection.
	m.begin(func() { m.host.Network().ClosePeer(id) }) //nolint:errcheck // already broken then
	return true
}

// expel ends the present session of a banned neighbour.
func (l *link) expel() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endLocked(l.session, DownBanned, "too many bad packets")
}

// rejectedKey is the key under which refusals of one peer for one reason are gathered.
type rejectedKey struct {
	peer   peer.ID
	reason wire.Reason
}

// reject counts and reports something refused.
func (m *Mesh) reject(id peer.ID, reason wire.Reason, detail string) {
	m.counters.reject(reason)
	m.queue.replace(rejectedKey{id, reason}, func(waiting Event) Event {
		rejected := Rejected{Peer: consensus.Peer(id.String()), Reason: reason, Detail: detail, Count: 1}
		if old, ok := waiting.(Rejected); ok {
			rejected.Count += old.Count
		}
		return rejected
	})
	m.log.Warn("rejected", zap.Stringer("peer", id), zap.String("reason", string(reason)), zap.String("detail", detail))
}
