// Package sim runs a network of peers in virtual time: the same consensus.Machine that a real peer
// runs, with a simulated clock, simulated compute and simulated links. One seed gives the same bits on
// every run and machine. It reads in one go: New builds the peers, Run takes the earliest event from a
// queue and feeds it to a machine, act carries out what the machine asks for.
package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// Config describes a network. Peers[i] is the peer at vertex i of Graph.
type Config struct {
	Peers   []Peer
	Graph   *topology.Graph
	Params  []float32 // initial estimate of every peer; nobody writes it
	Options consensus.Options
	Seed    uint64
	// FrameBytes is the size of one estimate on the wire; 0: four bytes a parameter.
	FrameBytes int
	// MixCost is the time in which a peer mixes four replicas, in steps of its own.
	MixCost float64
	// Silence is how long a paused or killed peer goes unnoticed; 0: 3 s.
	Silence consensus.Duration
	// SaveEvery is the least time between two checkpoints of a peer; 0: none are taken.
	SaveEvery consensus.Duration
	// Observe sees every event that reached a machine and what the machine answered; nil: nobody does.
	Observe Observer
}

// Observer is told, in the order of virtual time, what happened to a peer and what its machine asked
// for. The effects are valid only during the call.
type Observer func(at consensus.Time, self consensus.Peer, ev consensus.Event, effects []consensus.Effect)

// Network is a running simulation. It is not safe for concurrent use.
type Network struct {
	config  Config
	now     consensus.Time
	queue   queue
	peers   []*peer // by vertex
	byName  map[consensus.Peer]*peer
	views   map[int]*view // by side of a partition
	jitter  *rand.Rand
	losses  *rand.Rand
	noticed consensus.Time // when the last notice of a partition is due
	sent    uint64         // bytes of estimates and agreement messages that have left an uplink
	events  uint64
	stopped bool
}

// New builds a network whose peers start at time zero, but for those that are late.
func New(c Config) (*Network, error) {
	if c.Graph == nil || c.Graph.N() != len(c.Peers) {
		return nil, errors.New("the graph must have one vertex for each peer")
	}
	if c.FrameBytes == 0 {
		c.FrameBytes = 4 * len(c.Params)
	}
	if c.Silence == 0 {
		c.Silence = 3 * consensus.Second
	}
	n := &Network{
		config: c, byName: map[consensus.Peer]*peer{}, views: map[int]*view{},
		jitter: seed.Stream(c.Seed, "jitter"), losses: seed.Stream(c.Seed, "losses"),
	}
	for i := range c.Peers {
		p, err := n.add(i)
		if err != nil {
			return nil, err
		}
		n.peers = append(n.peers, p)
		n.byName[p.Name] = p
	}
	n.look()
	for _, p := range n.peers {
		if p.Late {
			continue
		}
		if err := n.boot(p, n.present(p)); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// add prepares the peer at vertex i; boot gives it a machine.
func (n *Network) add(i int) (*peer, error) {
	p := &peer{Peer: n.config.Peers[i], vertex: i, slow: 1}
	p.removed, p.away = p.Late, p.Late
	if p.Pace == nil {
		return nil, fmt.Errorf("peer %s has no pace", p.Name)
	}
	if n.byName[p.Name] != nil {
		return nil, fmt.Errorf("two peers are called %s", p.Name)
	}
	if p.Trainer != nil {
		state, err := p.Trainer.State()
		if err != nil {
			return nil, fmt.Errorf("state of the trainer of peer %s: %w", p.Name, err)
		}
		p.fresh = state
	}
	return p, nil
}

// Run takes the network to time until: every event up to and including that instant has happened.
func (n *Network) Run(until consensus.Time) {
	for n.queue.next() <= until && !n.stopped {
		e := n.queue.pop()
		n.now = e.at
		e.do()
	}
	if !n.stopped {
		n.now = max(n.now, until)
	}
}

// Stop ends the run after the event that is under way; the network stays at its time.
func (n *Network) Stop() { n.stopped = true }

// At runs do at a point in time, before what is scheduled later for the same instant. Schedules of
// faults use it.
func (n *Network) At(at consensus.Time, do func()) { n.queue.push(max(at, n.now), do) }

// after runs do in a while, unless the peer has been killed by then.
func (n *Network) after(p *peer, wait consensus.Duration, do func()) {
	life := p.life
	n.queue.push(n.now+consensus.Time(wait), func() {
		if p.life == life {
			do()
		}
	})
}

// step feeds one event to a machine and acts on what it asks for.
func (n *Network) step(p *peer, ev consensus.Event) {
	if p.machine == nil {
		return
	}
	if p.paused {
		p.held = append(p.held, ev)
		return
	}
	n.events++
	effects := p.machine.Step(n.now, ev)
	if n.config.Observe != nil {
		n.config.Observe(n.now, p.Name, ev, effects)
	}
	p.batch = p.batch[:0]
	for _, effect := range effects {
		n.act(p, effect)
	}
	n.enqueue(p)
	n.arm(p)
}

// act carries out one effect. What it causes happens through the queue, never inside this call.
func (n *Network) act(p *peer, effect consensus.Effect) {
	switch e := effect.(type) {
	case consensus.Train:
		n.begin(p, e)
	case consensus.CancelTrain:
		p.block = nil
	case consensus.CutTrain:
		n.cut(p, e.Block)
	case consensus.Send:
		if _, bulk := e.Message.(consensus.Estimate); bulk {
			p.batch = append(p.batch, e)
		} else {
			n.control(p, e)
		}
	case consensus.Save:
		n.save(p)
	case consensus.Mixed:
		n.chargeMix(p, len(e.Used))
	case consensus.Published, consensus.Lost, consensus.Straggling, consensus.Ignored:
		// for observers
	default:
		panic(fmt.Sprintf("sim: unknown effect %T", effect))
	}
}

// arm schedules the machine's next Wake when it has changed.
func (n *Network) arm(p *peer) {
	at := p.machine.Wake()
	if at == p.wake {
		return
	}
	p.wake = at
	if at == consensus.Never {
		return
	}
	life := p.life
	n.queue.push(max(at, n.now), func() {
		if p.life == life && p.wake == at {
			p.wake = consensus.Never
			n.step(p, consensus.Wake{})
		}
	})
}

// Now returns the virtual time.
func (n *Network) Now() consensus.Time { return n.now }

// Events returns how many events machines have been fed.
func (n *Network) Events() uint64 { return n.events }

// SentBytes returns what has left the uplinks.
func (n *Network) SentBytes() uint64 { return n.sent }

// Running returns the names of the peers that are running, in the order of vertices.
func (n *Network) Running() []consensus.Peer {
	var names []consensus.Peer
	for _, p := range n.peers {
		if p.machine != nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// Live returns the machines of the peers that are running, in the order of vertices.
func (n *Network) Live() []*consensus.Machine {
	var machines []*consensus.Machine
	for _, p := range n.peers {
		if p.machine != nil {
			machines = append(machines, p.machine)
		}
	}
	return machines
}
