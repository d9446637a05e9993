// Package node runs one real peer: it connects the core to libp2p, a trainer, a disk and a clock.
//
// Read loop.go first: one goroutine owns the core and everything else talks to it through channels.
package node

import (
	"os"
	"time"

	"github.com/starling-ml/starling/internal/settings"
)

// ConfigVersion is the version of the configuration that this program reads.
const ConfigVersion = 1

// Config is the configuration of an agent, agent.yaml.
type Config struct {
	Version int `yaml:"version" jsonschema:"required"`
	// Run names what is trained together; it must be the same on every peer.
	Run string `yaml:"run" jsonschema:"required"`
	// Name is what people call this peer; by default the host name. It is never an identity.
	Name     string   `yaml:"name,omitempty"`
	Identity Identity `yaml:"identity,omitempty"`
	Network  Network  `yaml:"network,omitempty"`
	Topology Topology `yaml:"topology,omitempty"`
	// Train is what is learned and how; it must agree on all peers of a run.
	Train Train `yaml:"train,omitempty"`
	// Data is which part of the data set this peer trains on; by default all of it.
	Data       Data       `yaml:"data,omitempty"`
	Worker     Worker     `yaml:"worker,omitempty"`
	Checkpoint Checkpoint `yaml:"checkpoint,omitempty"`
	Observe    Observe    `yaml:"observe,omitempty"`
	Testnet    *Testnet   `yaml:"testnet,omitempty"`
}

// Identity is the key that makes a peer the same peer after a restart.
type Identity struct {
	// KeyFile holds an Ed25519 key that only its owner may read; it is made at the first start.
	KeyFile settings.Path `yaml:"key_file,omitempty"`
}

// Network is how the peer is reached and whom it knows.
type Network struct {
	// Listen are multiaddrs to listen on.
	Listen []string `yaml:"listen,omitempty"`
	// Announce replaces the addresses told to others, for a peer behind a forwarded port.
	Announce []string `yaml:"announce,omitempty"`
	// Peers are multiaddrs ending in /p2p/ID; one that can be reached is enough.
	Peers     []string  `yaml:"peers,omitempty"`
	Discovery Discovery `yaml:"discovery,omitempty"`
	// DeadAfter is the silence after which a neighbour is gone. Slow peers are not silent: heartbeats do
	// not wait for training. Too short loses neighbours on busy machines; too long lets a dead one
	// hold up recipes that wait for all.
	DeadAfter settings.Duration `yaml:"dead_after,omitempty"`
}

// Discovery is how peers are found that are not listed.
type Discovery struct {
	// MDNS finds peers of the run in the local network.
	MDNS bool `yaml:"mdns,omitempty"`
}

// Topology is who is whose neighbour among the members of the run.
type Topology struct {
	settings.Topology `yaml:",inline"`
	// Members fixes the peer ids at the vertices of the graph; by default the graph is made anew over
	// the sorted ids of all live members whenever they change.
	Members []string `yaml:"members,omitempty"`
	// Slow lists members known to be slow, the same list at every peer; recipes that span a tree make
	// them its leaves. It needs members.
	Slow []string `yaml:"slow,omitempty"`
	// ForgetAfter is how long a silent member keeps its place in the graph.
	ForgetAfter settings.Duration `yaml:"forget_after,omitempty"`
}

// Train adds to the shared section what only an agent needs.
type Train struct {
	settings.Train `yaml:",inline"`
	// Seed is where the initial parameters, the deal of the data and all batches come from; it must be
	// the same on every peer.
	Seed uint64 `yaml:"seed,omitempty"`
	// EvalEvery is the time between two evaluations on the held-out samples; 0: only at the end.
	EvalEvery settings.Duration `yaml:"eval_every,omitempty"`
}

// Data is a peer's part of a data set that all peers can read. Without partitions the peer trains on
// all of the data it has.
type Data struct {
	// Index is this peer's place among the partitions.
	Index int `yaml:"index,omitempty" jsonschema:"minimum=0"`
	// Partitions hold one entry for every peer of the run, the same list at every peer.
	Partitions []settings.Partition `yaml:"partitions,omitempty"`
}

// Worker is what computes gradients.
type Worker struct {
	// Kind is builtin: the models of this program.
	Kind string `yaml:"kind,omitempty" jsonschema:"enum=builtin"`
	// Compute makes local steps take a given time, for experiments; by default they take what they take.
	Compute settings.Compute `yaml:"compute,omitempty"`
}

// Checkpoint is where a peer keeps its state.
type Checkpoint struct {
	// Dir is the folder of the checkpoints; empty: none are kept.
	Dir settings.Path `yaml:"dir,omitempty"`
	// Every is the least time between two checkpoints.
	Every settings.Duration `yaml:"every,omitempty"`
	// Keep is how many are kept; with 1 a disk error in the newest loses the run.
	Keep int `yaml:"keep,omitempty" jsonschema:"minimum=1,maximum=1000"`
	// Fresh puts earlier checkpoints aside instead of resuming from the newest.
	Fresh bool `yaml:"fresh,omitempty"`
}

// Observe is what others may see of the peer.
type Observe struct {
	// HTTP is host:port of /metrics, /healthz, /readyz and /api/v1/state; empty: none.
	HTTP string `yaml:"http,omitempty"`
	// PasswordFile is needed when HTTP can be reached from other machines.
	PasswordFile settings.Path `yaml:"password_file,omitempty"`
	// Hosts are names under which clients may ask for HTTP, beside localhost and plain addresses.
	Hosts  []string `yaml:"hosts,omitempty"`
	Events Events   `yaml:"events,omitempty"`
}

// Events is the event log.
type Events struct {
	// File is the event log in JSON lines; empty: none.
	File settings.Path `yaml:"file,omitempty"`
	// Level is always (what is rare), window (a line a second) or step.
	Level string `yaml:"level,omitempty" jsonschema:"enum=always,enum=window,enum=step"`
	// Rotate closes the file when it grows beyond.
	Rotate settings.Bytes `yaml:"rotate,omitempty"`
	// Keep is the number of closed files kept; 0: all.
	Keep int `yaml:"keep,omitempty" jsonschema:"minimum=0"`
}

// Testnet is set by testnets, which start peers together and disturb them.
type Testnet struct {
	// StartAt is the instant at which all peers begin to train (RFC 3339); the run's clock is 0 there.
	StartAt string `yaml:"start_at,omitempty"`
	// Control lets a loopback client slow this peer down and read its estimate.
	Control bool `yaml:"control,omitempty"`
}

// DefaultConfig returns what holds where a file says nothing.
func DefaultConfig() *Config {
	train := settings.DefaultTrain()
	return &Config{
		Identity: Identity{KeyFile: "identity.key"},
		Network: Network{
			Listen:    []string{"/ip4/0.0.0.0/tcp/4001", "/ip4/0.0.0.0/udp/4001/quic-v1"},
			Discovery: Discovery{MDNS: true}, DeadAfter: settings.Duration(5 * time.Second),
		},
		Topology: Topology{
			Topology:    settings.Topology{Graph: "exponential"},
			ForgetAfter: settings.Duration(time.Minute),
		},
		Train:      Train{Train: train, Seed: 1, EvalEvery: settings.Duration(5 * time.Second)},
		Worker:     Worker{Kind: "builtin"},
		Checkpoint: Checkpoint{Dir: "checkpoints", Every: settings.Duration(10 * time.Second), Keep: 3},
		Observe: Observe{
			HTTP:   "127.0.0.1:7777",
			Events: Events{Level: "window", Rotate: 256e6, Keep: 8},
		},
	}
}

// Load reads an agent's configuration. The error lists all mistakes, each with its place; warnings are
// in the document.
func Load(sources settings.Sources) (*Config, *settings.Document, error) {
	sources.Version = ConfigVersion
	c := DefaultConfig()
	d := settings.Load(c, sources)
	c.check(d)
	if c.Name == "" {
		c.Name, _ = os.Hostname()
	}
	return c, d, d.Err()
}
