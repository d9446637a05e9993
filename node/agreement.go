package node

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/starling-ml/starling/internal/settings"
)

// agreement is what must be equal on all peers beside the model: what a round means, and which graph
// follows from a list of members.
func (n *Node) agreement() string {
	o := n.config.Train.Options()
	told := fmt.Sprintf("%s mix=%s late=%s static=%t graph=%s",
		o.Recipe, o.Mix, o.Late, o.StaticDegrees, n.config.Topology.agreement())
	for _, p := range []struct {
		name  string
		value any
		given bool
	}{
		{"codec", o.Codec, o.Codec.Kind != ""},
		{"schedule", o.Schedule, o.Schedule.Kind != ""},
		{"sums", o.RunningSums, o.RunningSums},
		{"full_w", o.FullW, o.FullW},
		{"share", o.Share, o.Share != ""},
	} {
		if p.given {
			told += fmt.Sprintf(" %s=%v", p.name, p.value)
		}
	}
	return told
}

// agreement tells graphs apart. Over fixed members it is the fingerprint of the edges, because files
// have different names on different machines.
func (t *Topology) agreement() string {
	h := fnv.New32a()
	if count := len(t.Members); count > 0 {
		if g, err := t.Build(count, settings.Schedule{}); err == nil { // an error is told when the graph is needed
			h.Write(fmt.Append(nil, g.Edges(), t.Slow))
		}
		return fmt.Sprintf("%s/%08x", t.Graph, h.Sum32())
	}
	parts := []string{string(t.Graph)}
	for _, p := range []struct {
		name  string
		value any
		given bool
	}{
		{"degree", t.Degree, t.Degree != 0},
		{"clusters", t.Clusters, t.Clusters != 0},
		{"rewire", t.Rewire, t.Rewire != 0},
		{"seed", t.Seed, t.Seed != 0},
		{"add_edges", t.AddEdges, len(t.AddEdges) > 0},
	} {
		if p.given {
			parts = append(parts, fmt.Sprintf("%s:%v", p.name, p.value))
		}
	}
	return strings.Join(parts, ",")
}
