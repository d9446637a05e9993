package consensus

import "github.com/starling-ml/starling/topology"

// neighbour is what a peer knows about one of its neighbours.
type neighbour struct {
	name Peer
	live bool

	degree   int      // its live neighbours as it told last, before that its degree in the graph
	stepTime Duration // as it told last; 0: not yet
	slow     bool     // it counts as a straggler

	replica replica // its newest estimate here
	used    uint64  // seq of the newest estimate mixed
	inbox   inbox   // what it said about rounds that are still open here
	track   track   // frames of a codec, sent and heard
	ledger  ledger  // sums given and taken (sgp, gt with running sums)

	arrivals arrivals // of its estimates (cutoff, dbw)

	queued, resolved uint64 // newest seq handed to the uplink, and newest known sent or failed
	retry            Time   // when to send the last publish again; Never if it is not lost
	share            float64
}

// replica is the newest estimate of a neighbour. Params is nil until there is one.
type replica struct {
	Estimate
	arrived Time
}

// fresh tells whether the neighbour has an estimate that is newer than at the last mix.
func (n *neighbour) fresh() bool {
	return n.replica.Params != nil && n.replica.Seq > n.used
}

// busy tells whether a frame for the neighbour is queued or being sent.
func (n *neighbour) busy() bool { return n.live && n.resolved < n.queued }

// drop forgets what does not survive the end of a link. What the neighbour said about open rounds
// stays true: its round may close without it, but nobody publishes twice for one round.
func (n *neighbour) drop() {
	n.live = false
	n.replica, n.used, n.stepTime, n.slow, n.arrivals = replica{}, 0, 0, false, arrivals{}
	n.queued, n.resolved, n.retry = 0, 0, Never
}

// metropolis returns the mixing weight of an edge from the degrees of its ends. Both ends compute it
// from the same two integers, so the weights of an edge are equal to the bit.
func metropolis(mine, theirs int) float64 {
	return topology.Weight(mine, max(theirs, 1))
}
