package gossip

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// direction tells who opened a stream. Its opener sends messages on it and reads acknowledgements.
type direction int

const (
	outbound direction = iota
	inbound
)

// session is one life of a link: it begins with the first stream, is up when both are open, and ends
// with either.
type session struct {
	link *link
	box  *outbox

	up, done chan struct{}
	pipes    [2]*pipe // by direction; guarded by link.mu

	heard          atomic.Int64 // clock of the last byte
	sent, received atomic.Int64 // bytes
	rtt            atomic.Int64
	pinged         atomic.Int64 // clock of the ping under way; 0: none
}

func newSession(l *link) *session {
	s := &session{link: l, box: newOutbox(), up: make(chan struct{}), done: make(chan struct{})}
	s.heard.Store(clock())
	return s
}

// write sends what the outbox holds, and heartbeats, until the session ends.
func (s *session) write(p *pipe) {
	heartbeat := time.NewTicker(s.link.mesh.timing.Heartbeat)
	defer heartbeat.Stop()
	for {
		var err error
		select {
		case <-s.done:
			return
		case <-s.link.mesh.leaving:
			s.sayBye(p)
			return
		case <-heartbeat.C:
			err = s.ping(p)
		case <-s.box.ready:
			err = s.flush(p)
		}
		if err != nil {
			s.fail(err)
			return
		}
	}
}

func (s *session) flush(p *pipe) error {
	for {
		l, ok := s.box.take()
		if !ok {
			return nil
		}
		err := p.write(l.frame())
		var unsendable *wire.Error
		if errors.As(err, &unsendable) {
			s.undeliverable(l, unsendable)
			continue
		}
		if err != nil {
			return err
		}
	}
}

// undeliverable is a message that breaks a limit here, before a byte of it was written.
func (s *session) undeliverable(l letter, err *wire.Error) {
	s.link.mesh.reject(s.link.id, err.Reason, "cannot send: "+err.Detail)
	if l.estimate() {
		s.landed(l.seq, err.Reason)
	}
}

func (s *session) ping(p *pipe) error {
	now := clock()
	s.pinged.CompareAndSwap(0, now)
	return p.write(wire.Ping{Nonce: uint64(s.pinged.Load())})
}

// byePatience is how long a goodbye may hold up Close.
const byePatience = 500 * time.Millisecond

func (s *session) sayBye(p *pipe) {
	p.stall, p.writeUntil = byePatience, 0
	if p.write(wire.Bye{Text: "leaving"}) != nil {
		return
	}
	select { // the neighbour ends the session once it has read it
	case <-s.done:
	case <-time.After(byePatience):
	}
}

// answers reads acknowledgements and pongs from a stream that this side opened.
func (s *session) answers(p *pipe) {
	for {
		packet, _, err := p.read()
		if err != nil {
			s.fail(err)
			return
		}
		switch packet := packet.(type) {
		case wire.Ack:
			s.landed(packet.Seq, packet.Reason)
		case wire.Pong:
			if sent := s.pinged.Swap(0); sent != 0 && uint64(sent) == packet.Nonce {
				s.rtt.Store(clock() - sent)
			}
		default:
			s.fail(unexpected(packet))
			return
		}
	}
}

// landed reports the fate of an estimate in flight.
func (s *session) landed(seq uint64, reason wire.Reason) {
	s.link.during(s, func() {
		l, ok := s.box.landed(seq)
		if !ok {
			return
		}
		to, queue := s.link.peer, s.link.mesh.queue
		if reason != "" {
			queue.put(Undelivered{To: to, Seq: seq, Reason: Refused})
			return
		}
		size := s.link.mesh.format.SizeOf(l.message.(consensus.Estimate))
		queue.put(Delivered{To: to, Seq: seq, Bytes: size, Took: time.Since(l.queued)})
	})
}

// messages reads frames from a stream that the neighbour opened, until the session ends.
func (s *session) messages(p *pipe) {
	intake := intake{session: s, pipe: p}
	for {
		packet, n, err := p.read()
		var bad *wire.Error
		if errors.As(err, &bad) && !bad.Lost {
			err = intake.refuse(bad)
		} else if err == nil {
			err = intake.take(packet, n)
		}
		if err != nil {
			s.fail(err)
			return
		}
	}
}

// goodbye ends a session in which the neighbour said it.
type goodbye wire.Bye

func (g goodbye) Error() string { return "said goodbye: " + g.Text }

// fail ends the session for the reason behind err.
func (s *session) fail(err error) {
	var bad *wire.Error
	var bye goodbye
	switch {
	case errors.As(err, &bye):
		s.link.end(s, DownLeft, bye.Text)
	case errors.As(err, &bad):
		s.link.mesh.offend(s.link.id, bad)
		s.link.end(s, DownLost, bad.Error())
	case isTimeout(err):
		silent := time.Duration(clock() - s.heard.Load()).Round(100 * time.Millisecond)
		s.link.end(s, DownSilent, fmt.Sprintf("no byte for %v", silent))
	case errors.Is(err, io.EOF):
		s.link.end(s, DownLost, "the neighbour closed the stream")
	default:
		s.link.end(s, DownLost, err.Error())
	}
}

// intake takes the frames of one stream.
type intake struct {
	session *session
	pipe    *pipe
	last    uint64 // number of the last estimate
	any     bool
}

// take handles one packet; an error ends the session.
func (in *intake) take(packet wire.Packet, bytes int) error {
	switch packet := packet.(type) {
	case wire.Ping:
		return in.pipe.write(wire.Pong(packet))
	case wire.Bye:
		return goodbye(packet)
	case wire.Frame:
		event := Inbound{
			From: in.session.link.peer, Message: packet.Message, Age: time.Duration(packet.Age), Bytes: bytes,
		}
		if estimate, ok := packet.Message.(consensus.Estimate); ok {
			return in.estimate(event, estimate, packet.Replace)
		}
		in.session.deliver(event, false)
		return nil
	}
	return unexpected(packet)
}

// estimate takes one estimate. One that builds on an earlier one never takes its place: that one was
// acknowledged, and without it this one means nothing.
func (in *intake) estimate(event Inbound, e consensus.Estimate, replace bool) error {
	seq := e.Seq
	if in.any && seq <= in.last {
		return in.refuse(&wire.Error{
			Reason: wire.Replay, Seq: seq, Detail: fmt.Sprintf("estimate %d came after %d", seq, in.last),
		})
	}
	in.last, in.any = seq, true
	if replace && e.Base == 0 {
		in.session.deliverLatest(event)
	} else {
		in.session.deliver(event, true)
	}
	return in.pipe.write(wire.Ack{Seq: seq})
}

// refuse counts a bad packet that was read to its end, and answers it if it was an estimate.
func (in *intake) refuse(bad *wire.Error) error {
	if in.session.link.mesh.offend(in.session.link.id, bad) {
		return errors.New("banned for too many bad packets")
	}
	return in.pipe.write(wire.Ack{Seq: bad.Seq, Reason: bad.Reason})
}

// deliver hands a message to the reader of events, in order, waiting for room.
func (s *session) deliver(event Inbound, estimate bool) {
	place := place{peer: event.From, estimate: estimate}
	if !s.awaitUp() || !s.link.mesh.queue.reserve(place) {
		return
	}
	queue := s.link.mesh.queue
	if !s.link.during(s, func() {
		queue.seal(latestEstimate(event.From))
		queue.putReserved(event, place)
	}) {
		queue.release(place)
	}
}

// latestEstimate is the key under which replaceable estimates of a neighbour replace each other.
type latestEstimate consensus.Peer

// deliverLatest hands an estimate to the reader of events in the place of an older one.
func (s *session) deliverLatest(event Inbound) {
	if !s.awaitUp() {
		return
	}
	s.link.during(s, func() {
		stale := s.link.mesh.queue.replace(latestEstimate(event.From), func(Event) Event { return event })
		if stale {
			s.link.mesh.counters.staleReceived.Add(1)
		}
	})
}

// awaitUp blocks until the session is up; false means that it ended first.
func (s *session) awaitUp() bool {
	select {
	case <-s.up:
		return true
	case <-s.done:
		return false
	}
}
