package gossip

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"go.uber.org/zap"

	"github.com/starling-ml/starling/consensus"
)

// link keeps a session with one neighbour for as long as it is one.
type link struct {
	mesh *Mesh
	id   peer.ID
	peer consensus.Peer
	kick chan struct{} // gets a token when another attempt may succeed
	ctx  context.Context
	stop context.CancelFunc

	mu      sync.Mutex
	name    string
	session *session // nil between two
	isUp    bool
	closed  bool
}

func (m *Mesh) newLink(id peer.ID) *link {
	l := &link{mesh: m, id: id, peer: consensus.Peer(id.String()), kick: make(chan struct{}, 1)}
	l.ctx, l.stop = context.WithCancel(m.ctx)
	return l
}

// run opens this side's stream again and again until the link is closed.
func (l *link) run() {
	retry := l.mesh.newBackoff(l.id)
	for l.ctx.Err() == nil {
		p, name, err := l.open()
		if err != nil {
			l.mesh.noteHandshake(l.id, err)
			retry.wait(l.ctx, l.kick, err)
			continue
		}
		s := l.attach(outbound, p, name)
		if s == nil {
			reset(p)
			return
		}
		l.mesh.wg.Go(func() { s.answers(p) }) // run itself is waited for, so this is in time
		s.write(p)
		<-s.done
		if s.wasUp() {
			retry.reset()
		}
		retry.wait(l.ctx, l.kick, nil)
	}
}

func (s *session) wasUp() bool {
	select {
	case <-s.up:
		return true
	default:
		return false
	}
}

// open returns a stream to the neighbour on which both sides have accepted each other.
func (l *link) open() (*pipe, string, error) {
	if err := l.connect(); err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(l.ctx, l.mesh.timing.Handshake)
	defer cancel()
	stream, err := l.mesh.host.NewStream(network.WithNoDial(ctx, "links dial themselves"), l.id, framesProtocol)
	if err != nil {
		return nil, "", err
	}
	p := l.mesh.newPipe(stream)
	defer l.mesh.limitHandshake(p)()
	hello, err := l.mesh.greet(p)
	if err != nil {
		reset(p)
		return nil, "", err
	}
	return p, hello.Name, nil
}

// connect returns when there is a connection. The peer with the lower id dials at once; the other one
// leaves it to it for a while, because two that dial at the same time may end up with two connections.
func (l *link) connect() error {
	if l.connected() {
		return nil
	}
	if l.mesh.ID() > l.peer {
		delay := time.NewTimer(l.mesh.timing.DialDelay)
		defer delay.Stop()
		for waiting := true; waiting && !l.connected(); {
			select {
			case <-l.ctx.Done():
				return l.ctx.Err()
			case <-l.kick:
			case <-delay.C:
				waiting = false
			}
		}
	}
	return l.mesh.dial(l.ctx, peer.AddrInfo{ID: l.id})
}

func (l *link) connected() bool {
	return l.mesh.host.Network().Connectedness(l.id) == network.Connected
}

// wake lets the next attempt start now.
func (l *link) wake() {
	select {
	case l.kick <- struct{}{}:
	default:
	}
}

// attach adds an accepted stream to the session, or to a new one when the present one already has a
// stream in that direction: then the neighbour has begun anew. It returns nil when the link is closed.
func (l *link) attach(d direction, p *pipe, name string) *session {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	if l.session != nil && l.session.pipes[d] != nil {
		l.endLocked(l.session, DownLost, "the neighbour began anew")
	}
	if l.session == nil {
		l.session = newSession(l)
	}
	s := l.session
	s.pipes[d] = p
	p.join(s, l.mesh.timing)
	l.name = name
	if s.pipes[outbound] != nil && s.pipes[inbound] != nil {
		l.isUp = true
		close(s.up)
		path := pathOf(s.pipes[outbound].stream.Conn())
		l.mesh.queue.put(Up{Peer: l.peer, Name: name, Path: path})
		l.mesh.met(l.peer, name)
		l.mesh.log.Info("neighbour up", zap.String("peer", string(l.peer)), zap.String("name", name))
	}
	return s
}

// during runs f if s is the session of the link and up, and tells whether it did.
func (l *link) during(s *session, f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session != s || !l.isUp {
		return false
	}
	f()
	return true
}

// end ends a session; later calls for the same session do nothing.
func (l *link) end(s *session, reason DownReason, detail string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endLocked(s, reason, detail)
}

func (l *link) endLocked(s *session, reason DownReason, detail string) {
	if s == nil || l.session != s {
		return
	}
	l.session = nil
	close(s.done)
	for _, p := range s.pipes {
		if p != nil {
			go reset(p)
		}
	}
	for _, letter := range s.box.close() {
		l.mesh.queue.put(Undelivered{To: l.peer, Seq: letter.seq, Reason: LinkDown})
	}
	if l.isUp {
		l.isUp = false
		l.mesh.queue.seal(latestEstimate(l.peer))
		l.mesh.queue.put(Down{Peer: l.peer, Reason: reason, Detail: detail})
		l.mesh.log.Info("neighbour down", zap.String("peer", string(l.peer)),
			zap.String("reason", string(reason)), zap.String("detail", detail))
	}
	if reason == DownLeft {
		l.mesh.gone(l.peer)
	}
}

// close ends the link for good.
func (l *link) close(reason DownReason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.endLocked(l.session, reason, "")
	l.stop()
}

// send queues a message in the present session.
func (l *link) send(message consensus.Message, replace bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := newLetter(message, replace)
	if l.session == nil || !l.isUp {
		l.mesh.undelivered(l.peer, out, LinkDown)
		return
	}
	dropped, reason, full := l.session.box.put(out)
	if dropped != nil {
		if reason == Replaced {
			l.mesh.counters.staleSent.Add(1)
		}
		l.mesh.undelivered(l.peer, *dropped, reason)
	}
	if full {
		l.endLocked(l.session, DownFull, "its queue of messages is full")
	}
}

func (m *Mesh) undelivered(to consensus.Peer, l letter, reason UndeliveredReason) {
	if l.estimate() {
		m.queue.put(Undelivered{To: to, Seq: l.seq, Reason: reason})
	}
}

// neighbour describes the link if it is up.
func (l *link) neighbour() (Neighbour, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isUp {
		return Neighbour{}, false
	}
	s := l.session
	return Neighbour{
		Peer:     l.peer,
		Name:     l.name,
		Path:     pathOf(s.pipes[outbound].stream.Conn()),
		RTT:      time.Duration(s.rtt.Load()),
		Sent:     s.sent.Load(),
		Received: s.received.Load(),
	}, true
}

func pathOf(c network.Conn) Path {
	if c.Stat().Limited {
		return Relayed
	}
	return Direct
}

// reset gives a stream up in both directions.
func reset(p *pipe) {
	if err := p.stream.Reset(); err != nil && !errors.Is(err, network.ErrReset) {
		p.stream.Close() //nolint:errcheck // already broken
	}
}
