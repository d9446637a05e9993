package local

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/train/data"
	"github.com/starling-ml/starling/train/pace"
)

// saveEvery is the time between two checkpoints of a peer that may be started again; others take one at
// the end.
const saveEvery = time.Second

// agent is the configuration of the peer at a vertex.
func (s *site) agent(vertex int) *node.Config {
	plan, member := s.plan, &s.plan.Members[vertex]
	c := node.DefaultConfig()
	c.Version, c.Run, c.Name = node.ConfigVersion, plan.Name, member.Name
	c.Identity.KeyFile = s.path(vertex, keyFile)
	c.Network.Listen = []string{s.address(vertex)}
	c.Network.Discovery.MDNS = false
	for _, v := range plan.Graph.Neighbours(vertex) {
		c.Network.Peers = append(c.Network.Peers, fmt.Sprintf("%s/p2p/%s", s.address(v), s.ids[v]))
	}
	c.Topology = s.topology()
	c.Train.Train, c.Train.Seed, c.Train.EvalEvery = plan.Train, plan.Seed, 0
	c.Train.Stop = settings.Stop{} // the referee ends the run
	if abs, err := filepath.Abs(string(c.Train.Task.Path)); err == nil && c.Train.Task.Path != "" {
		c.Train.Task.Path = settings.Path(abs)
	}
	c.Data.Index = vertex
	for _, m := range plan.Members {
		c.Data.Partitions = append(c.Data.Partitions, partition(m.Data))
	}
	c.Worker.Compute = compute(member.Compute)
	c.Checkpoint.Dir, c.Checkpoint.Every = s.path(vertex, saved), settings.Duration(time.Hour)
	if s.restarts() {
		c.Checkpoint.Every = settings.Duration(saveEvery)
	}
	c.Observe.HTTP = fmt.Sprintf("127.0.0.1:%d", s.https[vertex])
	c.Observe.Events.File, c.Observe.Events.Level = s.path(vertex, eventsFile), levelName(plan.Events)
	c.Testnet = &node.Testnet{StartAt: s.start.Format(time.RFC3339Nano), Control: true}
	return c
}

// path is a file of a peer, from the root, so that it means the same in every working directory.
func (s *site) path(vertex int, name string) settings.Path {
	path := filepath.Join(s.folder(vertex), name)
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return settings.Path(path)
}

func (s *site) address(vertex int) string {
	return fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", s.ports[vertex])
}

// topology is the graph of the plan, edge by edge, over the identities of this site.
func (s *site) topology() node.Topology {
	t := node.Topology{
		Topology: settings.Topology{Graph: "edges"}, ForgetAfter: node.DefaultConfig().Topology.ForgetAfter,
	}
	for _, e := range s.plan.Graph.Edges() {
		t.Edges = append(t.Edges, []float64{float64(e.U), float64(e.V), e.Weight})
	}
	slow := s.plan.Slow()
	for v, id := range s.ids {
		t.Members = append(t.Members, string(id))
		if slow[v] {
			t.Slow = append(t.Slow, string(id))
		}
	}
	return t
}

// partition writes a partition as a configuration has it.
func partition(p data.Partition) settings.Partition {
	written := settings.Partition{Partition: settings.PartitionKind(p.Kind), Alpha: p.Alpha, Pieces: p.Pieces}
	for _, class := range p.OnlyClasses {
		written.OnlyClasses = append(written.OnlyClasses, settings.Word(class))
	}
	return written
}

// compute writes a law as a configuration has it. A factor becomes part of the step.
func compute(law pace.Law) settings.Compute {
	step := law.Step
	if law.Factor > 0 {
		step = time.Duration(float64(law.Step) * law.Factor)
	}
	c := settings.Compute{
		Step: settings.Span{Duration: settings.Duration(step)}, Law: settings.Law(law.Kind),
		Jitter: settings.Percent(law.Jitter), Fixed: settings.Factor(law.Fixed), Tail: settings.Factor(law.Tail),
		Probability: settings.Percent(law.Probability), Times: settings.Factor(law.Times),
	}
	for _, q := range law.Trace {
		c.Trace = append(c.Trace, []float64{q.At, q.Value})
	}
	return c
}

func levelName(level observe.Level) string {
	return map[observe.Level]string{observe.Always: "always", observe.Windows: "window", observe.Steps: "step"}[level]
}
