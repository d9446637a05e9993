package gossip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/sec"
	"github.com/libp2p/go-libp2p/p2p/net/swarm"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// Contact is the state of one configured or discovered address.
type Contact struct {
	Addr   string // multiaddr ending in /p2p/<id>
	Peer   consensus.Peer
	State  ContactState
	Detail string // for people, empty when State says it all
}

// ContactState is how the last attempt at an address ended. The set is closed.
type ContactState string

// States of a contact.
const (
	ContactTrying    ContactState = "trying"
	ContactOK        ContactState = "ok"
	ContactRefused   ContactState = "refused"       // nothing listens there
	ContactTimeout   ContactState = "timed out"     // no answer
	ContactWrongPeer ContactState = "wrong peer id" // another peer listens there
	ContactRejected  ContactState = "rejected"      // it answered and does not match; see Detail
	ContactFailed    ContactState = "failed"        // anything else; see Detail
)

// contact keeps in touch with a peer through which this one reaches the mesh, neighbour or not.
type contact struct {
	mesh *Mesh
	info peer.AddrInfo
	kick chan struct{}

	mu     sync.Mutex
	states []Contact // one for each address
}

func (m *Mesh) newContact(info peer.AddrInfo) *contact {
	c := &contact{mesh: m, info: info, kick: make(chan struct{}, 1)}
	for _, addr := range info.Addrs {
		full := addr.String() + "/p2p/" + info.ID.String()
		c.states = append(c.states, Contact{Addr: full, Peer: consensus.Peer(info.ID.String()), State: ContactTrying})
	}
	return c
}

// run contacts the peer, and again whenever the connection is lost, until the mesh is closed.
func (c *contact) run() {
	retry := c.mesh.newBackoff(c.info.ID)
	for c.mesh.ctx.Err() == nil {
		err := c.reach()
		c.record(err)
		if err != nil {
			c.mesh.noteHandshake(c.info.ID, err)
			retry.wait(c.mesh.ctx, c.kick, err)
			continue
		}
		retry.reset()
		for c.mesh.ctx.Err() == nil && c.mesh.connected(c.info.ID) {
			pause(c.mesh.ctx, c.mesh.timing.RetryMax, c.kick)
		}
		retry.wait(c.mesh.ctx, nil, nil)
	}
}

// reach connects, shakes hands and takes the introductions to other members.
func (c *contact) reach() error {
	ctx, cancel := context.WithTimeout(c.mesh.ctx, 2*c.mesh.timing.Handshake)
	defer cancel()
	if err := c.mesh.dial(ctx, c.info); err != nil {
		return err
	}
	stream, err := c.mesh.host.NewStream(ctx, c.info.ID, helloProtocol)
	if err != nil {
		return err
	}
	p := c.mesh.newPipe(stream)
	defer reset(p)
	defer c.mesh.limitHandshake(p)()
	hello, err := c.mesh.greet(p)
	if err != nil {
		return err
	}
	c.mesh.heardHello(c.info, hello)
	return c.mesh.takeIntroductions(p)
}

// introductions is the largest number of members that one contact tells about.
const introductions = 4096

func (m *Mesh) takeIntroductions(p *pipe) error {
	for range introductions {
		packet, _, err := p.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read introductions: %w", err)
		}
		introduced, ok := packet.(wire.Introduce)
		if !ok {
			return unexpected(packet)
		}
		m.heardOf(introduced)
	}
	return nil
}

// introduce tells a new contact about the members.
func (m *Mesh) introduce(p *pipe, to consensus.Peer) error {
	told := 0
	for _, member := range m.Members() {
		if member.Peer == m.ID() || member.Peer == to || told == introductions {
			continue
		}
		told++
		if err := p.write(wire.Introduce(member)); err != nil {
			return fmt.Errorf("introduce members: %w", err)
		}
	}
	return nil
}

// record notes how the last attempt ended, for each address.
func (c *contact) record(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.states {
		c.states[i].State, c.states[i].Detail = classify(err, c.info.Addrs[i])
	}
}

func (c *contact) contacts() []Contact {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Contact(nil), c.states...)
}

// classify tells how an attempt ended for one of the peer's addresses.
func classify(err error, addr ma.Multiaddr) (ContactState, string) {
	var refuse *refusal
	var bad *wire.Error
	var dial *swarm.DialError
	var wrong sec.ErrPeerIDMismatch
	switch {
	case err == nil:
		return ContactOK, ""
	case errors.As(err, &refuse):
		return ContactRejected, refuse.Error()
	case errors.As(err, &bad):
		return ContactRejected, bad.Error()
	}
	if errors.As(err, &dial) {
		for _, one := range dial.DialErrors {
			if one.Address.Equal(addr) {
				err = one.Cause
			}
		}
	}
	switch {
	case errors.As(err, &wrong):
		return ContactWrongPeer, fmt.Sprintf("%s answers there", wrong.Actual)
	case errors.Is(err, syscall.ECONNREFUSED):
		return ContactRefused, ""
	case isTimeout(err):
		return ContactTimeout, ""
	}
	return ContactFailed, strings.ReplaceAll(err.Error(), "\n", " ")
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// dial connects to a peer unless there is a connection. It clears libp2p's own back-off, which would
// refuse an address for seconds after one failure; ours spaces the attempts.
func (m *Mesh) dial(ctx context.Context, info peer.AddrInfo) error {
	if m.connected(info.ID) {
		return nil
	}
	if s, ok := m.host.Network().(*swarm.Swarm); ok {
		s.Backoff().Clear(info.ID)
	}
	ctx, cancel := context.WithTimeout(ctx, m.timing.Handshake)
	defer cancel()
	return m.host.Connect(network.WithDialPeerTimeout(ctx, m.timing.Handshake), info)
}

func (m *Mesh) connected(id peer.ID) bool {
	return m.host.Network().Connectedness(id) == network.Connected
}

// addressLife is how long an address that was heard of is tried.
const addressLife = time.Hour
