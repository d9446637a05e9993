package node

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/gossip"
	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/train/data"
	"github.com/starling-ml/starling/wire"
)

// signature names the tensors as peers compare them.
func (n *Node) signature() wire.Signature {
	var s wire.Signature
	for _, t := range n.task.Tensors() {
		s = append(s, wire.Tensor{Name: t.Name, Shape: t.Shape})
	}
	return s
}

func (n *Node) openMesh() (err error) {
	c := n.config
	n.members = newMembers(n.ID(), c.Topology.Members)
	if !slices.Contains(n.members.list, n.ID()) {
		return fmt.Errorf("topology.members does not list this peer, %s: add it", n.ID())
	}
	config := gossip.Config{
		Key: n.key, Listen: c.Network.Listen, Announce: c.Network.Announce, Peers: c.Network.Peers,
		MDNS: c.Network.Discovery.MDNS, Minimal: n.options.Minimal, Timing: c.timing(), Log: n.options.Log,
		Hello: wire.Hello{
			Software: n.options.Version, Name: c.Name, RunName: c.Run, Signature: n.signature(),
			Initial: wire.ParamsHash(n.task.Initial(c.Train.Seed)), Recipe: n.agreement(),
		},
	}
	config.Members = len(n.members.fixed)
	config.Degree = n.degree()
	// A testnet lists all neighbours with their addresses; elsewhere members tell each other.
	config.Fixed = c.Testnet != nil && n.members.fixed != nil
	if n.mesh, err = gossip.Open(config); errors.Is(err, gossip.ErrInUse) {
		return fmt.Errorf("%w, as in --listen /ip4/0.0.0.0/tcp/0; does another agent run here?", err)
	}
	return err
}

// degree is the largest number of neighbours to expect; 0: not known.
func (n *Node) degree() int {
	const anyNumber = 256
	count := len(n.members.fixed)
	if count < 2 {
		switch n.config.Topology.Graph {
		case "full", "star":
			return anyNumber
		}
		return 0
	}
	g, err := n.config.Topology.Build(count, n.config.Train.Schedule)
	if err != nil {
		return 0 // told when the graph is needed
	}
	most := 0
	for v := range count {
		most = max(most, g.Degree(v))
	}
	return most
}

func (n *Node) openMachine() error {
	config, err := n.machineConfig()
	if err != nil {
		return err
	}
	if n.machine, err = n.resume(config); err != nil {
		return err
	}
	n.keep()
	return nil
}

// machineConfig is what the core is made from, with the members known so far.
func (n *Node) machineConfig() (consensus.Config, error) {
	rewired, err := n.rewire()
	config := consensus.Config{
		Self: n.ID(), Epoch: rewired.Epoch, Members: rewired.Members, Graph: rewired.Graph,
		Slow: rewired.Slow, Params: n.task.Initial(n.config.Train.Seed),
		Options: n.config.Train.Options(), Seed: n.config.Train.Seed,
		Join: n.config.Testnet == nil,
	}
	if n.store != nil {
		config.SaveEvery = n.config.Checkpoint.Every.Core()
	}
	return config, err
}

// rewire computes the graph over the members in force and keeps links to the neighbours in it.
func (n *Node) rewire() (consensus.Rewired, error) {
	var g *topology.Graph
	var err error
	count := len(n.members.list)
	if count == 1 {
		g = topology.New(1)
	} else if g, err = n.config.Topology.Build(count, n.config.Train.Schedule); err != nil {
		return consensus.Rewired{}, fmt.Errorf("topology of %d members: %w", count, err)
	}
	n.gap = topology.Inspect(g).SpectralGap
	epoch := n.members.epoch()
	if err := n.mesh.SetNeighbours(epoch, n.members.neighbours(g)); err != nil {
		return consensus.Rewired{}, fmt.Errorf("topology.members: %w", err)
	}
	rewired := consensus.Rewired{Epoch: epoch, Members: n.members.list, Graph: g}
	for _, id := range n.config.Topology.Slow {
		rewired.Slow = append(rewired.Slow, consensus.Peer(id))
	}
	return rewired, nil
}

func (n *Node) openObservers() (err error) {
	c := n.config
	source := observe.Source{Run: c.Run, Peer: string(n.ID()), Name: c.Name, Start: n.zero}
	n.metrics = observe.NewMetrics(observe.BuildInfo{Version: n.options.Version, Revision: n.options.Revision})
	config := observe.MeterConfig{Source: source, Metrics: n.metrics}
	if c.Observe.Events.File != "" {
		if n.log, err = n.openLog(source); err != nil {
			return err
		}
		n.metrics.SetDropped("events", n.log.Dropped)
		config.Sink = n.log
	}
	n.meter = observe.NewMeter(config)
	n.metrics.SetRun(observe.RunInfo{
		Run: c.Run, Recipe: string(c.Train.Recipe), Topology: string(c.Topology.Graph),
		ModelHash: n.signature().Hash().Short(),
	})
	return n.openServer()
}

func (n *Node) openLog(source observe.Source) (*observe.Log, error) {
	events := n.config.Observe.Events
	level, err := observe.ParseLevel(events.Level)
	if err != nil {
		return nil, err
	}
	return observe.OpenLog(observe.LogConfig{
		Source: source, Level: level, Path: string(events.File),
		RotateBytes: int64(events.Rotate), Keep: events.Keep,
	})
}

// What /readyz says before and after a peer trains. A peer without neighbours is ready.
var (
	errStarting = errors.New("starting")
	errEnding   = errors.New("ending")
)

func (n *Node) openServer() (err error) {
	n.ready.Store(&errStarting)
	if n.config.Observe.HTTP == "" {
		return nil
	}
	n.server, err = observe.Listen(observe.ServerConfig{
		Addr: n.config.Observe.HTTP, PasswordFile: string(n.config.Observe.PasswordFile),
		Hosts: n.config.Observe.Hosts, Gatherer: n.metrics.Registry(), State: n.State,
		Ready: func() error { return *n.ready.Load() }, Log: n.options.Log,
	})
	if err != nil {
		return fmt.Errorf("%w; choose another port, or --http \"\" for none", err)
	}
	if t := n.config.Testnet; t != nil && t.Control {
		n.handleControl()
	}
	n.server.Start()
	return nil
}

// Close closes a node that was never run.
func (n *Node) Close() {
	if n.mesh != nil {
		if err := n.mesh.Close(); err != nil {
			n.options.Say("close the network: %v", err)
		}
	}
	n.closeObservers()
	if n.store != nil {
		if err := n.store.Close(); err != nil {
			n.options.Say("close the checkpoints: %v", err)
		}
	}
	n.closeIdentity()
}

// closing bounds how long requests in progress may hold up the end.
const closing = time.Second

// deal is the partitions as train/data reads them.
func (d Data) deal() []data.Partition {
	var parts []data.Partition
	for _, p := range d.Partitions {
		parts = append(parts, p.Deal())
	}
	return parts
}
