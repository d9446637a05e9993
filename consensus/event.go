package consensus

import "github.com/starling-ml/starling/topology"

// Event is what happened to a peer. The set is closed: Wake, Rewired, Joined, Left, Received,
// Trained, Sent, SendFailed, MixTook. Events print as one canonical line, which scripts and replays read.
type Event interface {
	event()
	String() string
}

// Wake says that the time returned by Machine.Wake has come. The first one starts the peer.
type Wake struct{}

// Rewired replaces the member list and the graph: Members[i] is the peer at vertex i of Graph. A peer
// that is not in Members trains alone. Replicas of peers that stay neighbours are kept.
type Rewired struct {
	Epoch   uint64
	Members []Peer
	Graph   *topology.Graph
	Slow    []Peer // members known to be slow, the same list at every member (see Config)
	// Roster is that of Members and Slow if the driver has one to share; nil: the machine makes its own.
	Roster *Roster
}

// Joined says that the link to a peer is up: a neighbour counts as live from here. Joined may come
// before the Rewired that makes the peer a neighbour.
type Joined struct{ Peer Peer }

// Left says that a neighbour is gone (its link is down or its heartbeat stopped). Nobody waits for it
// any more, and its replica is dropped: when it joins again it counts from its first estimate.
type Left struct{ Peer Peer }

// Received is a message that passed every check of the wire: finite, of the run's model, in limits.
type Received struct {
	From    Peer
	Message Message
}

// Trained answers Train: Params is a new vector that nobody writes again.
type Trained struct {
	Block  uint64
	Params []float32
	Steps  int // local steps done, fewer than asked when the trainer was cut short
	Loss   float32
}

// Sent says that an estimate has left the uplink: over libp2p that the neighbour has acknowledged it.
type Sent struct {
	To  Peer
	Seq uint64
}

// SendFailed says that an estimate will not arrive: link down, deadline passed, or replaced in the
// queue by a newer one.
type SendFailed struct {
	To  Peer
	Seq uint64
}

// MixTook says how long the driver took to carry out a mix (in a real node the Step that mixed, in a
// simulation the time charged for it). Pulse stops mixing inside blocks when mixing eats the beat.
type MixTook struct{ Duration Duration }

func (Wake) event()       {}
func (Rewired) event()    {}
func (Joined) event()     {}
func (Left) event()       {}
func (Received) event()   {}
func (Trained) event()    {}
func (Sent) event()       {}
func (SendFailed) event() {}
func (MixTook) event()    {}
