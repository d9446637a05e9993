package gossip

import (
	"errors"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	"go.uber.org/zap"

	"github.com/starling-ml/starling/wire"
)

// refusal is a handshake that ended with a reason.
type refusal struct {
	wire.Refuse
	by string // name of the peer that refused; empty when it was this one
}

func (r *refusal) Error() string {
	if r.by == "" {
		return r.Text
	}
	return fmt.Sprintf("peer %s refused: %s", r.by, r.Text)
}

// greet is the handshake of the side that opened the stream: hello, hello back, verdict.
func (m *Mesh) greet(p *pipe) (wire.Hello, error) {
	mine := m.myHello()
	if err := p.write(mine); err != nil {
		return wire.Hello{}, fmt.Errorf("say hello: %w", err)
	}
	theirs, err := readHello(p)
	if err != nil {
		return wire.Hello{}, err
	}
	if differs := wire.Compare(mine, theirs); differs != nil {
		return theirs, &refusal{Refuse: *differs}
	}
	packet, _, err := p.read()
	if err != nil {
		return theirs, fmt.Errorf("read answer to hello: %w", err)
	}
	switch packet := packet.(type) {
	case wire.Welcome:
		return theirs, nil
	case wire.Refuse:
		return theirs, &refusal{Refuse: packet, by: theirs.Name}
	}
	return theirs, unexpected(packet)
}

// answer is the handshake of the other side. admit may refuse a peer that matches in all else.
func (m *Mesh) answer(p *pipe, admit func() *wire.Refuse) (wire.Hello, error) {
	theirs, err := readHello(p)
	if err != nil {
		return theirs, err
	}
	mine := m.myHello()
	differs := wire.Compare(mine, theirs)
	if differs == nil {
		differs = admit()
	}
	if err := p.write(mine); err != nil {
		return theirs, fmt.Errorf("answer hello: %w", err)
	}
	if differs == nil {
		return theirs, p.write(wire.Welcome{})
	}
	return theirs, errors.Join(&refusal{Refuse: *differs}, p.write(*differs))
}

// limitHandshake resets the stream when the whole handshake takes too long, until the function that
// it returns is called.
func (m *Mesh) limitHandshake(p *pipe) (stop func()) {
	timer := time.AfterFunc(m.timing.Handshake, func() { reset(p) })
	return func() { timer.Stop() }
}

func readHello(p *pipe) (wire.Hello, error) {
	packet, _, err := p.read()
	if err != nil {
		return wire.Hello{}, fmt.Errorf("read hello: %w", err)
	}
	hello, ok := packet.(wire.Hello)
	if !ok {
		return wire.Hello{}, unexpected(packet)
	}
	return hello, nil
}

func unexpected(packet wire.Packet) *wire.Error {
	return &wire.Error{Reason: wire.Schema, Detail: fmt.Sprintf("%T at the wrong place", packet), Lost: true}
}

func (m *Mesh) myHello() wire.Hello {
	hello := m.config.Hello
	hello.Version = wire.Version
	m.mu.Lock()
	hello.Epoch = m.epoch
	m.mu.Unlock()
	return hello
}

// noteHandshake counts and logs a handshake that failed, unless it only came too early.
func (m *Mesh) noteHandshake(id peer.ID, err error) {
	var refuse *refusal
	var bad *wire.Error
	switch {
	case errors.As(err, &refuse):
		if !refuse.Code.Temporary() {
			m.reject(id, refuse.Code.Reason(), refuse.Error())
		}
	case errors.As(err, &bad):
		m.offend(id, bad)
	default:
		m.log.Debug("handshake broke off", zap.Stringer("peer", id), zap.Error(err))
	}
}
