package gossip

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/p2p/discovery/mdns"
	"go.uber.org/zap"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// The number in these names is the generation of the handshake, which never changes within it: the
// version of everything else is compared in the hello, where a difference can be explained.
const (
	framesProtocol protocol.ID = "/starling/1/frames"
	helloProtocol  protocol.ID = "/starling/1/hello"
)

// Mesh is a running host with its links. All methods may be called from any goroutine.
type Mesh struct {
	config   Config
	timing   Timing
	format   wire.Format
	log      *zap.Logger
	host     host.Host
	bulletin *bulletin    // nil when the members are fixed
	mdns     mdns.Service // nil when off
	queue    *queue
	events   chan Event
	counters counters
	roster   *roster
	offences *offences

	ctx     context.Context
	cancel  context.CancelFunc
	leaving chan struct{} // closed first by Close: say goodbye
	wg      sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	epoch    uint64
	links    map[peer.ID]*link
	contacts map[peer.ID]*contact
}

// Open starts a host, listens, and begins to contact peers. It fails only for what this machine
// can know at once: a bad Config, or an address that cannot be listened on.
func Open(c Config) (*Mesh, error) {
	quiet()
	c = c.withDefaults()
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("open mesh: %w", err)
	}
	m := newMesh(c)
	var err error
	if m.host, err = newHost(c, m.offences); err != nil {
		m.cancel()
		return nil, err
	}
	if err := m.start(); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func newMesh(c Config) *Mesh {
	m := &Mesh{
		config: c,
		timing: c.Timing,
		format: wire.Format{
			Run:       wire.RunHash(c.Hello.RunName),
			Signature: c.Hello.Signature.Hash(),
			Params:    c.Hello.Signature.Params(),
		},
		log:      c.Log,
		queue:    newQueue(),
		events:   make(chan Event),
		offences: newOffences(c.Timing.Ban),
		leaving:  make(chan struct{}),
		links:    map[peer.ID]*link{},
		contacts: map[peer.ID]*contact{},
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.roster = newRoster(Member{Peer: c.Key.Peer(), Name: c.Hello.Name}, max(4*c.Members, introductions), time.Now())
	return m
}

func (m *Mesh) start() error {
	m.roster.hear(Member{Peer: m.ID(), Name: m.config.Hello.Name, Addrs: m.announcement(false).Addrs}, time.Now())
	m.host.Network().Notify((*watcher)(m))
	m.host.SetStreamHandler(framesProtocol, m.handle(m.onFrames))
	m.host.SetStreamHandler(helloProtocol, m.handle(m.onHello))
	m.begin(m.pump)
	if !m.config.Fixed {
		if err := m.startBulletin(); err != nil {
			return err
		}
	}
	for _, info := range m.config.contacts() {
		m.contact(info)
	}
	m.startMDNS()
	return nil
}

// begin runs f in a goroutine that Close waits for; false means that the mesh is closed.
func (m *Mesh) begin(f func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.beginLocked(f)
}

func (m *Mesh) beginLocked(f func()) bool {
	if m.closed {
		return false
	}
	m.wg.Go(f)
	return true
}

// handle makes a stream handler whose work Close waits for.
func (m *Mesh) handle(serve func(*pipe)) network.StreamHandler {
	return func(stream network.Stream) {
		p := m.newPipe(stream)
		if !m.begin(func() { serve(p) }) {
			reset(p)
		}
	}
}

// pump moves events to their reader.
func (m *Mesh) pump() {
	defer close(m.events)
	for {
		event, ok := m.queue.next()
		if !ok {
			return
		}
		select {
		case m.events <- event:
		case <-m.ctx.Done():
			return
		}
	}
}

// ID returns the name of this peer.
func (m *Mesh) ID() consensus.Peer { return m.config.Key.Peer() }

// Addrs returns the addresses at which others can dial this peer, ending in /p2p/<id>.
func (m *Mesh) Addrs() []string {
	var addrs []string
	for _, addr := range m.host.Addrs() {
		addrs = append(addrs, addr.String()+"/p2p/"+string(m.ID()))
	}
	return addrs
}

// Events returns the channel of events, which Close closes.
func (m *Mesh) Events() <-chan Event { return m.events }

// SetNeighbours says with whom to keep links, and the fingerprint of the member list behind that
// choice. Links to others go down. A name that is no peer id, or this peer's, is an error.
func (m *Mesh) SetNeighbours(epoch uint64, peers []consensus.Peer) error {
	wanted := map[peer.ID]bool{}
	for _, p := range peers {
		id, err := peer.Decode(string(p))
		if err != nil {
			return fmt.Errorf("neighbour %q is not a peer id: %w", p, err)
		}
		if id == m.host.ID() {
			return fmt.Errorf("neighbour %s is this peer itself", p)
		}
		wanted[id] = true
	}
	for _, old := range m.rewire(epoch, wanted) {
		m.host.ConnManager().Unprotect(old.id, "neighbour")
		old.close(DownRewired)
	}
	return nil
}

// rewire starts the links that are missing and returns those that are not wanted any more.
func (m *Mesh) rewire(epoch uint64, wanted map[peer.ID]bool) (unwanted []*link) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.epoch = epoch
	for id, l := range m.links {
		if !wanted[id] {
			delete(m.links, id)
			unwanted = append(unwanted, l)
		}
	}
	for id := range wanted {
		if m.links[id] == nil {
			l := m.newLink(id)
			if m.beginLocked(l.run) {
				m.links[id] = l
				m.host.ConnManager().Protect(id, "neighbour")
			}
		}
	}
	return unwanted
}

func (m *Mesh) link(id peer.ID) *link {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.links[id]
}

// Send queues a message for a neighbour. An estimate with replace may be dropped for a newer one.
func (m *Mesh) Send(to consensus.Peer, message consensus.Message, replace bool) {
	id, err := peer.Decode(string(to))
	if err == nil {
		if l := m.link(id); l != nil {
			l.send(message, replace)
			return
		}
	}
	m.undelivered(to, newLetter(message, replace), LinkDown)
}

// Announce tells all members about this peer's progress, as often as the size of the mesh allows;
// Run and Name are filled in.
func (m *Mesh) Announce(summary wire.Summary) {
	if m.bulletin == nil {
		return
	}
	summary.Run, summary.Name = m.format.Run, m.config.Hello.Name
	for {
		select {
		case m.bulletin.summaries <- summary:
			return
		case <-m.bulletin.summaries: // an older one that was not taken yet
		}
	}
}

// Members returns the live members sorted by peer, this one included.
func (m *Mesh) Members() []Member { return m.roster.members() }

// Contacts returns the state of every configured and discovered address, sorted by address.
func (m *Mesh) Contacts() []Contact {
	m.mu.Lock()
	contacts := slices.Collect(maps.Values(m.contacts))
	m.mu.Unlock()
	var all []Contact
	for _, c := range contacts {
		all = append(all, c.contacts()...)
	}
	slices.SortFunc(all, func(a, b Contact) int { return cmp.Compare(a.Addr, b.Addr) })
	return all
}

// Stats returns totals and the links that are up.
func (m *Mesh) Stats() Stats {
	stats := m.counters.stats()
	stats.Neighbours = m.neighbours()
	return stats
}

func (m *Mesh) neighbours() []Neighbour {
	m.mu.Lock()
	links := slices.Collect(maps.Values(m.links))
	m.mu.Unlock()
	var up []Neighbour
	for _, l := range links {
		if n, ok := l.neighbour(); ok {
			up = append(up, n)
		}
	}
	slices.SortFunc(up, func(a, b Neighbour) int { return cmp.Compare(a.Peer, b.Peer) })
	return up
}
