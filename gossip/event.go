package gossip

import (
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// Event is what happened on the mesh. The set is closed: Up, Down, Inbound, Delivered, Undelivered,
// MembersChanged, Rejected, Heard.
type Event interface{ event() }

// Up says that both streams with a neighbour are open and checked.
type Up struct {
	Peer consensus.Peer
	Name string
	Path Path
}

// Down says that the link to a neighbour is gone.
type Down struct {
	Peer   consensus.Peer
	Reason DownReason
	Detail string // for people, may be empty
}

// DownReason says why a link went down. The set is closed.
type DownReason string

// Reasons for Down.
const (
	DownLeft    DownReason = "left"    // the neighbour said goodbye
	DownSilent  DownReason = "silent"  // no byte for Timing.DeadAfter
	DownLost    DownReason = "lost"    // the connection broke
	DownRewired DownReason = "rewired" // no longer a neighbour
	DownBanned  DownReason = "banned"  // too many bad packets
	DownFull    DownReason = "full"    // it did not take the messages queued for it
)

// Path is how a neighbour is reached.
type Path string

// Paths.
const (
	Direct  Path = "direct"
	Relayed Path = "relayed"
)

// Inbound is a message of a neighbour that passed all checks.
type Inbound struct {
	From    consensus.Peer
	Message consensus.Message
	Age     time.Duration // time it waited at the sender
	Bytes   int
}

// Delivered says that a neighbour has read and accepted an estimate.
type Delivered struct {
	To    consensus.Peer
	Seq   uint64
	Bytes int
	Took  time.Duration // from Send to the acknowledgement
}

// Undelivered says that an estimate will not be acknowledged.
type Undelivered struct {
	To     consensus.Peer
	Seq    uint64
	Reason UndeliveredReason
}

// UndeliveredReason says why an estimate did not arrive. The set is closed.
type UndeliveredReason string

// Reasons for Undelivered.
const (
	Replaced UndeliveredReason = "replaced" // a newer one took its place in the queue
	LinkDown UndeliveredReason = "down"
	Overflow UndeliveredReason = "full"     // too many estimates wait that may not be replaced
	Refused  UndeliveredReason = "rejected" // the neighbour refused it, or it cannot be encoded
)

// MembersChanged carries the new list of live members, sorted by peer, this one included. Left are
// those that said goodbye lately, in order; others that are missing fell silent.
type MembersChanged struct {
	Members []Member
	Left    []consensus.Peer
}

// Member is a peer of the run that is alive as far as this peer knows.
type Member struct {
	Peer  consensus.Peer
	Name  string
	Addrs []string // multiaddrs without the peer id; none when it cannot be dialled
}

// Rejected counts packets or handshakes that were refused, here or there. Repeats are gathered while
// the reader of Events is busy.
type Rejected struct {
	Peer   consensus.Peer
	Reason wire.Reason
	Detail string // of the last one
	Count  int
}

// Heard is the summary of a member.
type Heard struct {
	From    consensus.Peer
	Summary wire.Summary
}

func (Up) event()             {}
func (Down) event()           {}
func (Inbound) event()        {}
func (Delivered) event()      {}
func (Undelivered) event()    {}
func (MembersChanged) event() {}
func (Rejected) event()       {}
func (Heard) event()          {}
