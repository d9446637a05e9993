package consensus

import "github.com/starling-ml/starling/vec"

// Effect is what the driver must do, or may note. The set is closed: Train, CancelTrain, CutTrain, Send,
// Save are to be done in order; Published, Mixed, Lost, Straggling, Ignored are observations.
type Effect interface {
	effect()
	String() string
}

// Train asks for Steps local steps from Params, which nobody writes. The answer is Trained with the
// same Block. At most one block is in flight.
type Train struct {
	Block  uint64
	Params []float32
	Steps  int
	Drift  []float32 // added to the parameters after every local step; nil: nothing (gt)
	Share  Share     // of the pooled data and of the batch; zero: this peer's own data and an equal batch
}

// CancelTrain ends the block in flight; a Trained that crosses it is ignored.
type CancelTrain struct{ Block uint64 }

// CutTrain ends the block in flight after the local step that is running. Its Trained has the steps that
// were done, at least one.
type CutTrain struct{ Block uint64 }

// Send asks for a message to be sent to one neighbour. Estimates with Replace may be dropped from the
// queue when a newer one is queued for the same neighbour; everything else keeps its order.
type Send struct {
	To      Peer
	Message Message
	Replace bool
}

// Save says that the machine is between blocks and that a checkpoint is due; the driver takes
// Machine.State before the next Step.
type Save struct{ Round uint64 }

// Published observes a publish to all live neighbours, with the recipe's training loss.
type Published struct {
	Round, Seq uint64
	Steps      int // local steps in the block behind it; 0 in the middle of a block
	Loss       float32
	To         int // neighbours it was sent to
	MidBlock   bool
	Codec      vec.CodecKind // in which it was written; empty: whole
	Skipped    bool          // the uplink was still busy: nothing was sent, Seq is that of the last publish
}

// Source is one neighbour's part in a mix.
type Source struct {
	Peer      Peer
	Round     uint64
	Seq       uint64
	Weight    float32  // what it got in this mix
	Age       Duration // since its estimate arrived here
	Staleness int64    // my round minus its round
	Fresh     bool     // newer than at my last mix
}

// Mixed observes a mix.
type Mixed struct {
	Round     uint64
	MidBlock  bool
	Used      []Source    // in peer order
	Missing   []Peer      // live neighbours that had nothing to mix
	Waited    Duration    // from the end of my block to this mix
	WaitedFor Peer        // whose message ended the wait; empty when nothing was waited for
	Distance  float64     // root mean square over neighbours of the Euclidean distance to my estimate
	Influence []Influence // share of each member in what I mix, damped by age, averaged over time; sums to 1
}

// Influence is the share of one peer in what another mixes.
type Influence struct {
	Peer  Peer
	Value float64
}

// Lost observes local steps whose result was thrown away (late: abort), or an update that entered no
// mix of its round.
type Lost struct {
	Round  uint64
	Steps  int
	Reason string
}

// Straggling observes that a neighbour (or I) became slower than Ratio times the local median step
// time, or is no longer.
type Straggling struct {
	Peer  Peer
	Ratio float64
	On    bool
}

// Ignored observes an event that changed nothing, with the reason.
type Ignored struct {
	From   Peer // empty for events that are not messages
	Reason string
}

func (Train) effect()       {}
func (CancelTrain) effect() {}
func (CutTrain) effect()    {}
func (Send) effect()        {}
func (Save) effect()        {}
func (Published) effect()   {}
func (Mixed) effect()       {}
func (Lost) effect()        {}
func (Straggling) effect()  {}
func (Ignored) effect()     {}
