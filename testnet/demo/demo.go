// Package demo compares ways to live with a slow peer that alone has the images of one digit: the same
// network is run once for every way, with the same seed, data and step times.
package demo

import (
	_ "embed" // the network
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/testnet"
)

//go:embed demo.yaml
var manifest []byte

// Class is what only the slow peer has images of.
const Class = "7"

// Target is the accuracy of the average model that lanes race to.
const Target = 0.95

// Config says what to compare.
type Config struct {
	Lanes   []Lane
	Peers   int           // at least 2
	Slow    float64       // how many times slower the slow peer is
	Length  time.Duration // of one lane
	Pace    time.Duration // of a step of the other peers
	Seed    uint64
	Kills   []Kill
	Runtime testnet.RuntimeName
	Dir     string // where the files of the lanes go; empty: nowhere
}

// Kill ends a peer while it trains.
type Kill struct {
	Peer int
	At   time.Duration
}

// Default is what `starling demo` compares.
func Default() Config {
	return Config{
		Lanes: []Lane{{Recipe: "dpsgd"}, {Recipe: "quorum", Mix: "fresh"}, {Recipe: "auto"}},
		Peers: 8, Slow: 10, Length: 12 * time.Second, Pace: 20 * time.Millisecond, Seed: 42,
		Runtime: testnet.InProcess,
	}
}

// SlowPeer is the slow one.
func (c Config) SlowPeer() int { return min(3, c.Peers-1) }

// Validate checks that there are two peers, one lane and a second of time, and that killed peers exist.
func (c Config) Validate() error {
	var errs []error
	if c.Peers < 2 {
		errs = append(errs, fmt.Errorf("%d peers: take 2 or more", c.Peers))
	}
	if len(c.Lanes) == 0 {
		errs = append(errs, errors.New("no recipe: name one or more, as in dpsgd,auto"))
	}
	if c.Length < time.Second {
		errs = append(errs, fmt.Errorf("%s a lane: take 1 s or more", c.Length))
	}
	if !(c.Slow >= 1 && c.Slow <= 1000) {
		errs = append(errs, fmt.Errorf("%gx slower: take 1x to 1000x", c.Slow))
	}
	for _, k := range c.Kills {
		if k.Peer < 0 || k.Peer >= c.Peers {
			errs = append(errs, fmt.Errorf("kill %d: peers are 0 to %d", k.Peer, c.Peers-1))
		}
		if k.At < 0 || k.At > c.Length {
			errs = append(errs, fmt.Errorf("kill at %s: a lane ends at %s", k.At, c.Length))
		}
	}
	return errors.Join(errs...)
}

// Plans are the runs, one a lane.
func (c Config) Plans() ([]*testnet.Plan, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	var plans []*testnet.Plan
	for _, lane := range c.Lanes {
		loaded, err := testnet.Load(settings.Sources{
			Files: []settings.File{{Name: "demo.yaml", Text: manifest}}, Set: append(c.set(), lane.set()...),
		})
		if err != nil {
			return nil, fmt.Errorf("lane %s: %w", lane, err)
		}
		all, err := loaded.Plans()
		if err != nil {
			return nil, fmt.Errorf("lane %s: %w", lane, err)
		}
		if c.Dir != "" {
			all[0].Dir = filepath.Join(c.Dir, lane.folder())
		}
		plans = append(plans, all[0])
	}
	return plans, nil
}

// set is what differs from the network in the file.
func (c Config) set() []string {
	pairs := []string{
		"runtime=" + string(c.Runtime), "seed=" + strconv.FormatUint(c.Seed, 10),
		"peers.count=" + strconv.Itoa(c.Peers), "peers.groups.slow.select=" + strconv.Itoa(c.SlowPeer()),
		"peers.groups.slow.compute.step=" + settings.Factor(c.Slow).String(),
		"peers.defaults.compute.step=" + c.Pace.String(), "train.stop.time=" + c.Length.String(),
	}
	if c.Peers <= 5 { // too few for another graph
		pairs = append(pairs, "topology={graph: full, degree: 0}")
	}
	var kills []string
	for _, k := range c.Kills {
		kills = append(kills, fmt.Sprintf("{at: %s, do: kill, peers: %d}", k.At, k.Peer))
	}
	if kills != nil {
		pairs = append(pairs, "schedule=["+strings.Join(kills, ", ")+"]")
	}
	return pairs
}
