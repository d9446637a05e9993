package node

import (
	"time"

	"github.com/starling-ml/starling/observe"
)

// describe adds what only the node knows to the state that the meter keeps. It runs on any goroutine.
func (n *Node) describe(s *observe.State) {
	s.Recipe, s.Topology = string(n.config.Train.Recipe), string(n.config.Topology.Graph)
	s.Version, s.Listen = n.options.Version, n.Addrs()
	for _, member := range n.mesh.Members() {
		row := s.Row(string(member.Peer))
		row.Name, row.Addrs, row.Self = member.Name, member.Addrs, member.Peer == n.ID()
	}
	for _, link := range n.mesh.Stats().Neighbours {
		row := s.Row(string(link.Peer))
		row.Neighbour, row.Path = true, string(link.Path)
		row.RTT, row.SentBytes = observe.Number(link.RTT.Seconds()), uint64(link.Sent)
	}
}

// membersNow is what refreshing the member list takes.
func (n *Node) membersNow() (time.Time, time.Duration) {
	return time.Now(), n.config.Topology.ForgetAfter.Std()
}
