package local

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/gossip"
	"github.com/starling-ml/starling/testnet"
)

// site is what a network of a plan needs on this machine: a folder, an identity and ports for every
// peer, and the instant at which its clock is 0.
type site struct {
	plan  *testnet.Plan
	dir   string
	kept  bool             // the folder outlives the run
	ids   []consensus.Peer // by vertex
	ports []int            // for libp2p, by vertex
	https []int            // for http, by vertex
	start time.Time
}

// leadOf is how long before its start a network is started, where starting one peer takes perPeer of a
// processor.
func leadOf(plan *testnet.Plan, perPeer time.Duration) time.Duration {
	return time.Second/2 + perPeer*time.Duration(len(plan.Members))/time.Duration(runtime.GOMAXPROCS(0))
}

func newSite(plan *testnet.Plan, lead time.Duration) (*site, error) {
	s := &site{plan: plan, dir: plan.Dir, kept: plan.Dir != ""}
	var err error
	if !s.kept {
		if s.dir, err = os.MkdirTemp("", "starling-"); err != nil {
			return nil, fmt.Errorf("make a folder for the peers: %w", err)
		}
	}
	if err := s.settle(); err != nil {
		_ = s.close() // the first error tells more
		return nil, err
	}
	s.start = time.Now().Add(lead)
	return s, nil
}

// settle makes an empty folder and an identity for every peer and finds free ports.
func (s *site) settle() error {
	if err := os.RemoveAll(filepath.Join(s.dir, peersDir)); err != nil {
		return fmt.Errorf("empty the folder of the peers: %w", err)
	}
	for v := range s.plan.Members {
		if err := os.MkdirAll(s.folder(v), 0o755); err != nil {
			return fmt.Errorf("make the folder of a peer: %w", err)
		}
		key, err := gossip.LoadOrCreateKey(filepath.Join(s.folder(v), keyFile))
		if err != nil {
			return err
		}
		s.ids = append(s.ids, key.Peer())
	}
	count := len(s.plan.Members)
	ports, err := freePorts(2 * count)
	if err != nil {
		return err
	}
	s.ports, s.https = ports[:count], ports[count:]
	return nil
}

// Names in the folder of a run. Event logs are where those of virtual runs are.
const (
	peersDir   = "peers"
	keyFile    = "identity.key"
	configFile = "agent.yaml"
	eventsFile = "events.jsonl"
	saved      = "checkpoints"
)

// folder is where a peer keeps its files.
func (s *site) folder(vertex int) string {
	return filepath.Join(s.dir, peersDir, s.plan.Members[vertex].Name)
}

// restarts tells whether the schedule starts peers again.
func (s *site) restarts() bool {
	return slices.ContainsFunc(s.plan.Actions, func(a testnet.Action) bool {
		return a.Do == testnet.Restart
	})
}

// close removes the folder unless it is kept.
func (s *site) close() error {
	if s.kept {
		return nil
	}
	return os.RemoveAll(s.dir)
}
