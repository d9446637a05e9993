package gossip

import (
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"github.com/starling-ml/starling/wire"
)

// clock is the process's monotonic time in nanoseconds, which fits an atomic.
func clock() int64 { return int64(time.Since(started)) }

var started = time.Now()

// pipe is one stream with packets in both directions, deadlines on every read and write, and byte
// counts. One goroutine may read and one may write.
type pipe struct {
	stream   network.Stream
	reader   *wire.Reader
	writer   *wire.Writer
	counters *counters

	// patience is how long all pipes of a session together may stay silent, stall how long one write
	// may take. heard is when a byte came last.
	patience, stall time.Duration
	heard           *atomic.Int64
	session         *session // nil during the handshake

	readUntil, writeUntil int64 // deadlines set on the stream
}

func (m *Mesh) newPipe(stream network.Stream) *pipe {
	p := &pipe{
		stream:   stream,
		counters: &m.counters,
		patience: m.timing.Handshake,
		stall:    m.timing.Handshake,
		heard:    &atomic.Int64{},
	}
	p.heard.Store(clock())
	p.reader = wire.NewReader((*pipeReader)(p), m.format)
	p.writer = wire.NewWriter((*pipeWriter)(p), m.format)
	return p
}

// join makes the pipe one of the two of a session.
func (p *pipe) join(s *session, t Timing) {
	p.session, p.heard = s, &s.heard
	p.patience, p.stall = t.DeadAfter, t.Stall
	p.readUntil, p.writeUntil = 0, 0
}

// read returns the next packet and counts it.
func (p *pipe) read() (wire.Packet, int, error) {
	packet, n, err := p.reader.Next()
	if err != nil {
		p.counters.receivedControl.Add(int64(n))
		return nil, n, err
	}
	p.counters.count(packet, false, n)
	if p.session != nil {
		p.session.received.Add(int64(n))
	}
	return packet, n, nil
}

// write sends a packet and counts it.
func (p *pipe) write(packet wire.Packet) error {
	n, err := p.writer.Write(packet)
	p.counters.count(packet, true, n)
	if p.session != nil {
		p.session.sent.Add(int64(n))
	}
	return err
}

// pipeReader reads until nothing has been heard for the pipe's patience.
type pipeReader pipe

func (p *pipeReader) Read(b []byte) (int, error) {
	for {
		heard := p.heard.Load()
		// The deadline is moved only when a quarter of it has passed: it costs a timer.
		if until := heard + int64(p.patience); until > p.readUntil+int64(p.patience)/4 || p.readUntil == 0 {
			p.readUntil = until
			if err := p.stream.SetReadDeadline(deadline(until)); err != nil {
				return 0, err
			}
		}
		n, err := p.stream.Read(b)
		if n > 0 {
			p.heard.Store(clock())
			return n, nil
		}
		if !isTimeout(err) || clock()-p.heard.Load() >= int64(p.patience) {
			return n, err
		}
		p.readUntil = 0 // heard on the other pipe: go on
	}
}

// pipeWriter writes with a deadline that starts anew with every write.
type pipeWriter pipe

func (p *pipeWriter) Write(b []byte) (int, error) {
	if until := clock() + int64(p.stall); until > p.writeUntil+int64(p.stall)/4 || p.writeUntil == 0 {
		p.writeUntil = until
		if err := p.stream.SetWriteDeadline(deadline(until)); err != nil {
			return 0, err
		}
	}
	return p.stream.Write(b)
}

func deadline(at int64) time.Time { return time.Now().Add(time.Duration(at - clock())) }
