package node

import (
	"time"

	"github.com/starling-ml/starling/observe"
)

// describe adds what only the node knows to the state that the meter keeps. It runs on any goroutine.
func (n *Node) describe(s *observe.State) {
	s.Recipe, s.Topology = string(n.config.Train.Recipe), string(n.config.Topology.Graph)
	s.Version, s.Listen = n.options.Version, n.Addrs()
	alive := map[string]bool{}
	for _, member := range n.mesh.Members() {
		alive[string(member.Peer)] = true
		row := s.Row(string(member.Peer))
		row.Name, row.Addrs = member.Name, member.Addrs
		if member.Peer == n.ID() {
			row.Self, row.Status, row.Step, row.StepTime = true, s.Status, s.Step, s.StepTime
		}
	}
	for i := range s.Peers {
		if row := &s.Peers[i]; !alive[row.Peer] {
			row.Status = "silent"
		}
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
