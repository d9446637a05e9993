package consensus

import "fmt"

// State is what Restore needs. Right after a Save it describes the peer exactly, and the restored one
// continues identically; at any other time the block in flight is trained again from the estimate.
//
// Everything but Vectors encodes as JSON. Only the vector "estimate" is needed: a restored peer counts
// the other ones that are left out as missing.
type State struct {
	Now        Time // the driver's clock; a restored machine may live on another one
	Epoch      uint64
	Round, Seq uint64
	Block      uint64 // the one in flight
	Steps      uint64
	Loss       float32
	Slow, Join bool
	Saved      Time
	Step       Duration // measured times
	Send, Mix  Duration
	Whole      Duration // sending, without a codec
	Influence  float64
	Influenced Time // when influence was last counted; negative: never
	MixPeriod  Duration
	Last       Estimate
	Neighbours []NeighbourState
	Pieces     int            // pulse: held pieces to come
	Stake      participation  // mutual: participation
	Tree       *TreeState     // dybw, aau
	Exchange   *ExchangeState // adpsgd: under way; nil: none
	Restart    uint64         // d2, gt: the round in which corrections are forgotten, or their generation
	Next       uint64         // and the one after that
	Restarted  uint64         // and the last one
	Mass       float64        // sgp: the weight
	Gain       *GainState     // dbw
	Division   *DivisionState // share: speed
	Done, Gone []uint64       // barrier, dybw, aau: by vertex, 1 + latest round told

	Vectors map[string][]float32 `json:"-"`
}

// NeighbourState is what a peer knows of a neighbour. Liveness is not part of it: links are new.
type NeighbourState struct {
	Name             Peer
	Degree           int
	StepTime         Duration
	Slow             bool
	Replica          Estimate // its Params are the vector "replica/NAME"
	Arrived          Time
	Used             uint64
	Queued, Resolved uint64
	Retry            Time
	Share            float64
	Letters          []LetterState
	Track            *TrackState  // frames of a codec; nil: none
	Ledger           *LedgerState // sgp, gt with running sums; nil: none
	Heard            *HeardState  // cutoff, dbw; nil: nothing yet
}

// LetterState is what a neighbour said about an open round.
type LetterState struct {
	Round    uint64
	Estimate Estimate // Seq 0: none; its Params are the vector "letter/NAME/ROUND"
	Arrived  Time
	Intent   int8
	Active   int
}

// TreeState is where a peer of dybw or aau is in its cycle.
type TreeState struct {
	Cycle, Open uint64
	Used        [][2]int
}

// ExchangeState is an average that an adpsgd peer has asked for. What it told is the vector "exchange".
type ExchangeState struct {
	To    Peer
	Seq   uint64
	Began Time
}

// HeardState is when the last estimate of a neighbour came, and the last times between two of them, oldest first.
type HeardState struct {
	Last  Time
	Times []Duration
}

// GainState is what a dbw peer has learned. Its last updates are the vectors "update/N".
type GainState struct {
	Loss   [2]float64
	Waited int
}

// keeper is implemented by rules that have a state of their own between two blocks.
type keeper interface {
	save(s *State)
	load(m *Machine, s State)
}

// State returns what Restore needs. Vectors in it are shared and immutable.
func (m *Machine) State() State {
	s := State{
		Now: m.now, Epoch: m.view.epoch, Round: m.round, Seq: m.seq, Block: m.block.number, Steps: m.steps,
		Loss: m.loss, Slow: m.slow, Join: m.join, Saved: m.saved,
		Step: m.pace.step, Send: m.pace.send, Mix: m.pace.mix, Whole: m.pace.whole,
		Influence: m.shares.own, Influenced: -1, MixPeriod: m.shares.period,
		Vectors: map[string][]float32{"estimate": m.x},
	}
	if m.shares.some {
		s.Influenced = m.shares.last
	}
	s.Last = s.strip(m.last, "last")
	for _, n := range m.view.neighbours {
		s.Neighbours = append(s.Neighbours, s.neighbour(n))
	}
	if m.momentum != nil && m.momentum.v != nil {
		s.Vectors["momentum"] = m.momentum.v
	}
	if m.division != nil {
		s.Division = m.division.save(m)
	}
	if k, ok := m.rule.(keeper); ok {
		k.save(&s)
	}
	return s
}

// strip moves the parameters of an estimate to the named vectors.
func (s *State) strip(e Estimate, name string) Estimate {
	if e.Params != nil {
		s.Vectors[name] = e.Params
	}
	e.Params = nil
	return e
}

func (s *State) neighbour(n *neighbour) NeighbourState {
	saved := NeighbourState{
		Name: n.name, Degree: n.degree, StepTime: n.stepTime, Slow: n.slow,
		Replica: s.strip(n.replica.Estimate, "replica/"+string(n.name)), Arrived: n.replica.arrived,
		Used: n.used, Queued: n.queued, Resolved: n.resolved, Retry: n.retry, Share: n.share,
		Track: s.track(n), Ledger: s.ledger(n), Heard: n.arrivals.save(),
	}
	for _, l := range n.inbox {
		letter := LetterState{Round: l.round, Arrived: l.arrived, Intent: int8(l.intent), Active: l.active}
		if l.estimate != nil {
			letter.Estimate = s.strip(*l.estimate, letterName(n.name, l.round))
		}
		saved.Letters = append(saved.Letters, letter)
	}
	return saved
}

func letterName(name Peer, round uint64) string { return fmt.Sprintf("letter/%s/%d", name, round) }
