package node

import (
	"errors"
	"fmt"
	"time"

	"github.com/starling-ml/starling/gossip"
	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/wire"
)

// check reports what a schema cannot see.
func (c *Config) check(d *settings.Document) {
	c.checkNetwork(d)
	c.checkTopology(d)
	c.checkData(d)
	c.Worker.Compute.Check(d, "worker.compute", settings.Duration(time.Second))
	if c.Worker.Compute.Step.Factor != 0 {
		d.Problem("worker.compute.step", "has no default to be a multiple of", "write a time, as in 40ms")
	}
	if c.Checkpoint.Dir != "" && c.Checkpoint.Every <= 0 {
		d.Problem("checkpoint.every", "must be above 0", "write it as in 1m")
	}
	if c.Identity.KeyFile == "" {
		d.Problem("identity.key_file", "is empty", "name a file; it is made at the first start")
	}
	if c.Observe.HTTP != "" {
		d.Check("observe.http", observe.CheckAddress(c.Observe.HTTP, string(c.Observe.PasswordFile)))
	}
	_, err := observe.ParseLevel(c.Observe.Events.Level)
	d.Check("observe.events.level", err)
	if c.Testnet != nil && c.Testnet.StartAt != "" {
		_, err := time.Parse(time.RFC3339Nano, c.Testnet.StartAt)
		d.Check("testnet.start_at", err)
	}
}

func (c *Config) checkNetwork(d *settings.Document) {
	if c.Run == "" {
		d.Problem("run", "is empty", "all peers that train together share this name")
	}
	d.Check("run", sayable(c.Run))
	d.Check("name", sayable(c.Name))
	if dead := c.Network.DeadAfter; dead > 0 && dead < leastDeadAfter {
		d.Problem("network.dead_after", fmt.Sprintf("%s is shorter than %s", dead, leastDeadAfter),
			"a busy machine is silent for longer")
	}
	if len(c.Network.Listen) == 0 && len(c.Network.Peers) == 0 && !c.Network.Discovery.MDNS {
		d.Problem("network", "nobody can reach this peer and it knows nobody", "set listen or peers")
	}
	d.Check("network.listen", gossip.Config{Listen: c.Network.Listen}.CheckAddresses())
	d.Check("network.announce", gossip.Config{Announce: c.Network.Announce}.CheckAddresses())
	d.Check("network.peers", gossip.Config{Peers: c.Network.Peers}.CheckAddresses())
}

// leastDeadAfter leaves time for some heartbeats.
const leastDeadAfter = settings.Duration(100 * time.Millisecond)

// sayable tells why a name cannot be told to other peers.
func sayable(name string) error {
	_, err := wire.Format{}.Append(nil, wire.Announce{Name: name})
	var refused *wire.Error
	if errors.As(err, &refused) {
		return errors.New(refused.Detail)
	}
	return err
}

// timing scales the heartbeat with the silence that means death.
func (c *Config) timing() gossip.Timing {
	t := gossip.DefaultTiming()
	if dead := c.Network.DeadAfter.Std(); dead > 0 {
		t.DeadAfter = dead
		t.Heartbeat = min(t.Heartbeat, dead/5)
	}
	return t
}

// checkTopology builds the graph where the number of members is known. Elsewhere the graph follows
// the members, so it must exist for any number of them.
func (c *Config) checkTopology(d *settings.Document) {
	if n := len(c.Topology.Members); n > 0 {
		c.Train.Check(d, "train", c.Topology.Check(d, "topology", n, c.Train.Schedule))
		return
	}
	switch c.Topology.Graph {
	case "file", "edges":
		d.Problem("topology.members", "missing", fmt.Sprintf(
			"with graph: %s, list the peer ids at its vertices", c.Topology.Graph))
	}
	c.Train.Check(d, "train", nil)
}

func (c *Config) checkData(d *settings.Document) {
	for i, p := range c.Data.Partitions {
		path := fmt.Sprintf("data.partitions.%d", i)
		p.Check(d, path)
		c.Train.CheckPooled(d, "train", path, p)
	}
	if n := len(c.Data.Partitions); n > 0 && c.Data.Index >= n {
		d.Problem("data.index", fmt.Sprintf("%d is not among the %d partitions", c.Data.Index, n),
			fmt.Sprintf("indices are 0 to %d", n-1))
	}
}
