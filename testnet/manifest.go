// Package testnet runs whole networks from a manifest: which peers there are, how fast they are, what
// happens to them, which recipes are compared and what is expected. A manifest becomes plans, one for
// each recipe, swept value and seed; a runtime runs a plan; the results make a summary.
package testnet

import "github.com/starling-ml/starling/internal/settings"

// ManifestVersion is the version of the format that this program reads.
const ManifestVersion = 1

// Manifest describes networks to run. See testnet/networks for examples.
type Manifest struct {
	Version     int    `yaml:"version" jsonschema:"required"`
	Name        string `yaml:"name" jsonschema:"required"`
	Description string `yaml:"description,omitempty"`
	// Seed is where every random choice comes from.
	Seed    uint64      `yaml:"seed,omitempty"`
	Runtime RuntimeName `yaml:"runtime,omitempty"`
	Peers   Peers       `yaml:"peers"`
	// Topology is who is whose neighbour. Its seed is by default that of the manifest.
	Topology settings.Topology `yaml:"topology,omitempty"`
	// Train is what is learned and how. A network runs on when it has met the target, so that recipes
	// are compared at the same time; the target is what time_to_target_s is measured to.
	Train    settings.Train `yaml:"train,omitempty"`
	Schedule []Perturbation `yaml:"schedule,omitempty"`
	// Cases are variants of the network: all that is swept is run in each of them.
	Cases []Case `yaml:"cases,omitempty"`
	// Sweep lists values for keys of the manifest, such as train.recipe: every combination is run. A
	// value of train.recipe may be a map of keys of train with a name, which makes a variant of a recipe:
	// {name: quorum-fresh, recipe: quorum, mix: fresh}.
	Sweep map[string][]settings.Tree `yaml:"sweep,omitempty"`
	// Tune chooses the best values of some keys, such as train.lr, for every combination before it is run.
	Tune *Tune `yaml:"tune,omitempty"`
	// Seeds is how many seeds every combination is run with: seed, seed + 1, ...
	Seeds int `yaml:"seeds,omitempty" jsonschema:"minimum=1,maximum=10000"`
	// Quick is the part of the runs that --quick runs.
	Quick  *Quick        `yaml:"quick,omitempty"`
	Expect []Expectation `yaml:"expect,omitempty"`
	Output Output        `yaml:"output,omitempty"`
}

// Peers are the peers of a network.
type Peers struct {
	Count    int  `yaml:"count" jsonschema:"required,minimum=1,maximum=100000"`
	Defaults Peer `yaml:"defaults,omitempty"`
	// Groups are peers that differ from the defaults; of two groups with the same peer the later wins.
	Groups []Group `yaml:"groups,omitempty"`
	// Mixing is the time in which a peer mixes four estimates, as a share of a step of its own. Only
	// virtual time has to be told.
	Mixing settings.Percent `yaml:"mixing,omitempty"`
}

// Peer is how one peer computes, how it is connected, and which data it has.
type Peer struct {
	Compute settings.Compute   `yaml:"compute,omitempty"`
	Link    settings.Link      `yaml:"link,omitempty"`
	Data    settings.Partition `yaml:"data,omitempty"`
}

// Group is some peers that have something in common. What it does not say is as in the defaults.
type Group struct {
	Name   string   `yaml:"name" jsonschema:"required"`
	Select Selector `yaml:"select" jsonschema:"required"`
	Peer   `yaml:",inline"`
}

// Output says what is kept of the runs.
type Output struct {
	// Dir is the folder in which every call makes a folder of its own; relative to the working folder.
	Dir string `yaml:"dir,omitempty"`
	// Keep is all, failed (only when an expectation failed) or none.
	Keep string `yaml:"keep,omitempty" jsonschema:"enum=all,enum=failed,enum=none"`
	// Events is how much the event logs hold: none (there are no logs), always (what is rare), window (a
	// line a second) or step.
	Events string `yaml:"events,omitempty" jsonschema:"enum=none,enum=always,enum=window,enum=step"`
}

// RuntimeName says what a network is run with.
type RuntimeName string

// Runtimes: a simulated clock; libp2p hosts in one process; one operating system process a peer.
const (
	VirtualTime RuntimeName = "virtual"
	InProcess   RuntimeName = "inproc"
	Processes   RuntimeName = "process"
)

// Choices lists the runtimes.
func (RuntimeName) Choices() []string {
	return []string{string(VirtualTime), string(InProcess), string(Processes)}
}

// DefaultManifest returns what holds where a manifest says nothing.
func DefaultManifest() *Manifest {
	const ms = 1e6
	return &Manifest{
		Seed: 1, Runtime: VirtualTime, Train: settings.DefaultTrain(), Seeds: 1,
		Peers: Peers{Defaults: Peer{
			Compute: settings.Compute{Step: settings.Span{Duration: 40 * ms}},
			Link:    settings.Link{Latency: ms / 2}, // as between two processes of one machine
		}},
		Output: Output{Dir: "runs", Keep: "all", Events: "window"},
	}
}
