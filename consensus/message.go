package consensus

// Peer names a peer. Over libp2p it is the peer id; in simulations a short name. Sums and ties run in
// the order of names, so names must be compared by their bytes only.
type Peer string

// Time is a point of the driver's clock in nanoseconds since the start of the run.
type Time int64

// Duration is a length of time in nanoseconds.
type Duration int64

// Second is the unit in which people read a Duration.
const Second Duration = 1e9

// Never is the time of a Wake that is not needed.
const Never Time = 1<<63 - 1

// Message is what one peer says to another. The set is closed: Estimate, Established, Intent,
// Degree, Done, Speed. Every message carries the membership Epoch, a fingerprint of the member list. Estimates,
// intents and degrees concern one edge and are taken whatever the list of the sender; an Established of
// another list closes its round but does not count for the tree.
type Message interface {
	message()
	String() string
}

// Estimate is a published estimate of the parameters, taken after training and before mixing.
type Estimate struct {
	Epoch    uint64   // fingerprint of the sender's member list
	Round    uint64   // blocks closed by the sender before this one
	Seq      uint64   // rises by one with every publish of this sender, mid-block ones included
	Steps    uint64   // local steps behind this estimate, in total
	StepTime Duration // the sender's measured time of one local step; 0: not measured yet
	Degree   int      // live neighbours of the sender, for Metropolis weights
	Loss     float32  // training loss of the last block
	Work     int      // local steps of the block behind it; 0 in the middle of a block
	Params   []float32

	// What follows is zero except in the recipes and switches that need it.
	Base   uint64    // seq of the sender's publish that Frame, Weight and Extra build on; 0: none
	Answer uint64    // seq of the receiver's estimate that this one answers (adpsgd); 0: none
	Weight float64   // push-sum weight given to the receiver since Base (sgp); above 0: asks for an average (adpsgd)
	Extra  []float32 // what else is averaged: the tracker or its sum since Base (gt), slow weights (noloco)
	Frame  []byte    // the parameters in a codec's form, to be decoded on the replica of Base; Params is nil then
}

// Established is flooded by the peer that closes a round of dybw: the tree edge {U, V} has been used.
type Established struct {
	Epoch, Cycle, Round uint64
	U, V                Peer // U < V
}

// Intent tells a neighbour whether its estimate of this round would be mixed; an edge is active when
// both ends say Include.
type Intent struct {
	Epoch, Round uint64
	Include      bool
}

// Degree tells an active neighbour over how many active edges the sender mixes in this round.
type Degree struct {
	Epoch, Round uint64
	Active       int
}

// Done is flooded by a peer that has finished a round, for the global barrier. With Gone it is flooded
// by a neighbour of Peer that cannot reach it: nobody waits for Peer in this round (barrier, dybw).
type Done struct {
	Epoch, Round uint64
	Peer         Peer
	Gone         bool
}

// Speed is flooded by a peer whose measured speed has changed, so that all members compute the same
// shares of the work (share: speed).
type Speed struct {
	Epoch    uint64
	Peer     Peer
	Version  uint64   // rises with every Speed of this peer
	StepTime Duration // of one local step with an equal share of the work
}

func (Estimate) message()    {}
func (Established) message() {}
func (Intent) message()      {}
func (Degree) message()      {}
func (Done) message()        {}
func (Speed) message()       {}
