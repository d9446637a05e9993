package observe

import (
	"cmp"
	"maps"
	"slices"

	"github.com/starling-ml/starling/consensus"
)

// State is the snapshot behind /api/v1/state: what a status command prints. The meter fills in what
// it learns from bodies; the driver adds what only it knows (addresses, names, links).
type State struct {
	V        int      `json:"v"`
	Run      string   `json:"run"`
	Peer     string   `json:"peer"`
	Name     string   `json:"name"`
	Time     Number   `json:"t"`
	Recipe   string   `json:"recipe"`
	Topology string   `json:"topology"`
	Version  string   `json:"version"`
	Listen   []string `json:"listen"`

	Status     string            `json:"status"` // starting | training | stopped
	Round      uint64            `json:"round"`
	Step       uint64            `json:"step"`
	Loss       Number            `json:"loss"`
	StepTime   Number            `json:"step_s"` // computing time of one local step
	StepRate   Number            `json:"steps_per_s"`
	Waiting    Number            `json:"waiting_ratio"` // share of the last window
	Distance   Number            `json:"dist"`
	Eval       map[string]Number `json:"eval"`
	Lost       int               `json:"lost"`
	Overloaded bool              `json:"overloaded"`

	SentBytes     uint64 `json:"sent_bytes"`
	ReceivedBytes uint64 `json:"recv_bytes"`

	CheckpointStep uint64 `json:"checkpoint_step"`
	Warning        string `json:"warning,omitempty"` // the last one

	Peers []PeerState `json:"peers"`
}

// PeerState is one row of the table of peers: this peer and every member it knows.
type PeerState struct {
	Peer      string   `json:"peer"`
	Name      string   `json:"name"`
	Status    string   `json:"status"` // training | straggling | silent | member (not heard yet)
	Neighbour bool     `json:"neighbour"`
	Self      bool     `json:"self"`
	Step      uint64   `json:"step"`
	StepTime  Number   `json:"step_s"`
	Path      string   `json:"path,omitempty"`
	RTT       Number   `json:"rtt_s"`
	SentBytes uint64   `json:"sent_bytes"`
	Age       Number   `json:"age_s"`
	Staleness int64    `json:"stale"`
	Weight    Number   `json:"w"`
	Influence Number   `json:"influence"`
	Addrs     []string `json:"addrs,omitempty"`

	mixed consensus.Time // when its estimate was last used
}

func newState(source Source) State {
	return State{
		V: 1, Run: source.Run, Peer: source.Peer, Name: source.Name, Status: "starting",
		Loss: Number(nan), Distance: Number(nan), Eval: map[string]Number{}, Listen: []string{},
		Peers: []PeerState{},
	}
}

func (s *State) add(now consensus.Time, body Body) {
	switch b := body.(type) {
	case RunStart:
		s.Recipe, s.Topology, s.Version, s.Step = b.Recipe, b.Topology, b.Version, b.Steps
		s.Status = "training"
	case RunEnd:
		s.Status = "stopped"
	case Step:
		s.Step, s.Loss = b.Step, b.Loss
		if b.Steps > 0 {
			s.StepTime = b.Compute / Number(b.Steps)
		}
	case Mix:
		s.addMix(now, b)
	case Window:
		s.StepRate, s.Waiting = Number(b.Steps)/b.Span, b.Wait/b.Span
	case Eval:
		for name, value := range b.Metrics {
			s.Eval[name] = Number(value)
		}
	case Lost:
		s.Lost += b.Steps
	case Straggler:
		s.Row(b.Peer).Status = map[bool]string{true: "straggling", false: "training"}[b.On]
	case Member:
		if b.Change != "join" {
			s.Peers = slices.DeleteFunc(s.Peers, func(row PeerState) bool { return row.Peer == b.Peer })
		}
	case Checkpoint:
		if b.Outcome == "ok" {
			s.CheckpointStep = b.Step
		}
	case Warn:
		s.Warning = b.Text
	}
}

func (s *State) addMix(now consensus.Time, b Mix) {
	s.Round, s.Distance = b.Round, b.Distance
	for _, used := range b.Used {
		row := s.Row(used.Peer)
		row.Age, row.Staleness, row.Weight, row.mixed = used.Age, used.Staleness, used.Weight, now
	}
	for peer, share := range b.Influence {
		s.Row(peer).Influence = share
	}
}

// Row returns the row of a peer, new if need be.
func (s *State) Row(peer string) *PeerState {
	at, found := slices.BinarySearchFunc(s.Peers, peer, func(p PeerState, id string) int {
		return cmp.Compare(p.Peer, id)
	})
	if !found {
		s.Peers = slices.Insert(s.Peers, at, PeerState{Peer: peer, Name: peer, Status: "member"})
	}
	return &s.Peers[at]
}

// at returns a copy that the meter does not touch any more, with ages as of now.
func (s *State) at(now consensus.Time) State {
	c := *s
	c.Time = Seconds(consensus.Duration(now))
	c.Eval = maps.Clone(s.Eval)
	c.Peers = slices.Clone(s.Peers)
	for i := range c.Peers {
		if row := &c.Peers[i]; row.mixed > 0 {
			row.Age += Seconds(consensus.Duration(now - row.mixed))
		}
	}
	return c
}
