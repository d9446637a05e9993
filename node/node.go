package node

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/gossip"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/node/checkpoint"
	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/train/data"
	"github.com/starling-ml/starling/train/pace"
	"github.com/starling-ml/starling/train/task"
)

// Options are what a caller gives a node beside its configuration.
type Options struct {
	// Version and Revision of the program, told to other peers and to people.
	Version, Revision string
	// ConfigHash names the configuration in the event log.
	ConfigHash string
	// Say prints a line for people; nil: nothing is printed.
	Say func(format string, args ...any)
	// Log gets what concerns operators; nil: nothing.
	Log *zap.Logger
	// Tape sees every event before the core takes it; with Watch it is what a replay needs. nil: nobody.
	Tape func(now consensus.Time, ev consensus.Event)
	// Watch sees every effect of the core, in the node's loop; nil: nobody. It must not block.
	Watch func(now consensus.Time, effect consensus.Effect, took consensus.Duration)
	// Minimal leaves connection management out of libp2p, for many nodes in one process.
	Minimal bool
}

// Node is one peer that is open: it listens, and trains once Run is called.
type Node struct {
	config  *Config
	options Options
	task    *task.Task
	key     gossip.Key
	zero    time.Time // of the run's clock

	identity *os.File // its lock

	mesh    *gossip.Mesh
	store   *checkpoint.Store // nil: none
	log     *observe.Log      // nil: none
	metrics *observe.Metrics
	meter   *observe.Meter
	server  *observe.Server // nil: none
	clock   *pace.Clock     // nil: steps take what they take
	worker  *worker
	machine *consensus.Machine
	members members
	gap     float64 // spectral gap of the graph in force

	account  account
	estimate atomic.Pointer[Estimate]
	ready    atomic.Pointer[error]
}

// Estimate is where a node stands. Nobody writes Params.
type Estimate struct {
	Round  uint64    `json:"round"`
	Steps  uint64    `json:"steps"`
	Params []float32 `json:"-"`
}

// Open reads the data and the newest checkpoint, and starts to listen. What it opened is closed by
// Run, or by Close if Run is never called.
func Open(c *Config, o Options) (*Node, error) {
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	n := &Node{config: c, options: o}
	steps := []func() error{
		n.openIdentity, n.openTask, n.openWorker, n.openStore, n.openMesh, n.openMachine, n.openObservers,
	}
	for _, open := range steps {
		if err := open(); err != nil {
			n.Close()
			return nil, err
		}
	}
	return n, nil
}

func (n *Node) openTask() (err error) {
	if n.task, err = task.Load(n.config.Train.Spec()); err != nil {
		return fmt.Errorf("%w: %w", ErrData, err)
	}
	n.zero = time.Now()
	if t := n.config.Testnet; t != nil && t.StartAt != "" {
		start, err := time.Parse(time.RFC3339Nano, t.StartAt)
		if err != nil {
			return fmt.Errorf("testnet.start_at: %w", err)
		}
		n.zero = n.zero.Add(time.Until(start)) // keeps the monotonic clock
	}
	return nil
}

// openWorker makes the trainer over this peer's part of the data.
func (n *Node) openWorker() error {
	shard, err := n.shard()
	if err != nil {
		return fmt.Errorf("deal the data: %w", err)
	}
	trainer, err := n.task.Trainer(shard, n.config.Train.Seed, n.stream())
	if err != nil {
		return err
	}
	if !n.config.Worker.Compute.Step.IsZero() {
		law, err := n.config.Worker.Compute.Pace(0)
		if err != nil {
			return fmt.Errorf("worker.compute: %w", err)
		}
		if n.clock, err = pace.NewClock(law, seed.Stream(n.config.Train.Seed, "pace", n.stream())); err != nil {
			return fmt.Errorf("worker.compute: %w", err)
		}
	}
	n.worker = newWorker(trainer, n.clock)
	return nil
}

// shard is this peer's part of the data; under share: speed all of it, of which the core says a part for every
// block.
func (n *Node) shard() (data.Shard, error) {
	root := n.config.Train.Seed
	if n.config.Train.Share != "" {
		return n.task.Pool(root)
	}
	parts := n.config.Data.deal()
	if len(parts) == 0 {
		return n.task.Train(), nil
	}
	shards, err := n.task.Split(parts, root)
	if err != nil {
		return data.Shard{}, err
	}
	return shards[n.config.Data.Index], nil
}

// stream names this peer's random streams. With partitions the names of the peers are part of the
// set-up, so that a network gives the same batches whatever the peers' ids are.
func (n *Node) stream() string {
	if len(n.config.Data.Partitions) > 0 {
		return n.config.Name
	}
	return string(n.key.Peer())
}

func (n *Node) openStore() (err error) {
	if n.config.Checkpoint.Dir == "" {
		return nil
	}
	n.store, err = checkpoint.Open(string(n.config.Checkpoint.Dir), n.config.Checkpoint.Keep)
	if err != nil {
		return fmt.Errorf("checkpoint.dir: %w", err)
	}
	return nil
}

// ID is the peer id of the node.
func (n *Node) ID() consensus.Peer { return n.key.Peer() }

// Addrs are the addresses at which others can dial the node, ending in /p2p/ID.
func (n *Node) Addrs() []string { return n.mesh.Addrs() }

// HTTP is where the node serves metrics and health, or "".
func (n *Node) HTTP() string {
	if n.server == nil {
		return ""
	}
	return n.server.Addr()
}

// Task is what the node learns.
func (n *Node) Task() *task.Task { return n.task }

// Estimate is where the node stands now. It may be called from any goroutine.
func (n *Node) Estimate() Estimate { return *n.estimate.Load() }

// State is what a status command prints. It may be called from any goroutine.
func (n *Node) State() observe.State {
	s := n.meter.State(n.now())
	n.describe(&s)
	return s
}

// Traffic returns the bytes sent and received so far.
func (n *Node) Traffic() (sent, received int64) {
	s := n.mesh.Stats()
	return s.SentFrame + s.SentControl, s.ReceivedFrame + s.ReceivedControl
}

// Slow multiplies the time of the node's local steps, for testnets; it needs worker.compute.step.
func (n *Node) Slow(factor float64) error {
	if n.clock == nil {
		return fmt.Errorf("slow %g: this peer has no pace; set worker.compute.step", factor)
	}
	n.clock.Slow(factor)
	return nil
}

// now is the run's clock.
func (n *Node) now() consensus.Time { return consensus.Time(max(0, time.Since(n.zero))) }
