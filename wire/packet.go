package wire

import (
	"hash/fnv"
	"time"

	"github.com/starling-ml/starling/consensus"
)

// Packet is what crosses a connection in one piece. The set is closed: Frame, Hello, Welcome,
// Refuse, Ping, Pong, Ack, Bye, Introduce on streams, Summary and Announce on the control topic.
type Packet interface{ kind() kind }

// Frame carries one message of the core.
type Frame struct {
	Message consensus.Message
	// Age is how long the message waited at the sender before it was written.
	Age consensus.Duration
	// Replace says that the estimate may be dropped when a newer one of the same peer is there.
	Replace bool
}

// Hello is the first packet in both directions of a stream: what the sender is and trains.
type Hello struct {
	Version   uint8  // of the protocol; 0 when encoding means this package's
	Software  string // version of the agent, for advice on upgrading
	Name      string // of the peer, chosen by people
	RunName   string
	Signature Signature
	Initial   Hash   // of the initial parameters; zero is not compared
	Recipe    string // with everything that must be equal on all peers; empty is not compared
	Epoch     uint64 // fingerprint of the sender's member list, for information
}

// Welcome accepts a hello.
type Welcome struct{}

// Refuse rejects a hello. The sender closes the stream after it.
type Refuse struct {
	Code Code
	Text string // for people, from the view of the one who refuses
}

// Ping asks for a Pong with the same nonce.
type Ping struct{ Nonce uint64 }

// Pong answers a Ping.
type Pong struct{ Nonce uint64 }

// Ack says that the estimate with this sequence number was read to its end, and with which result:
// an empty Reason means that it was accepted.
type Ack struct {
	Seq    uint64
	Reason Reason
}

// Bye is the last packet of a peer that leaves on purpose.
type Bye struct{ Text string }

// State is what a peer is doing, for displays.
type State uint8

// States.
const (
	Joining State = iota
	Training
	Straggling
	Stopped // its training failed; it neither trains nor publishes
)

// String returns the lower-case name of the state.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown"
}

var stateNames = [...]string{"joining", "training", "straggling", "stopped"}

// Summary is what every peer tells the whole mesh about itself every few seconds.
type Summary struct {
	Run      Hash
	Name     string
	State    State
	Epoch    uint64 // fingerprint of its member list
	Round    uint64
	Steps    uint64
	StepTime consensus.Duration
	Loss     float32 // training loss of the last block
	Accuracy float32 // 0 to 1; negative: not measured
	Waiting  float32 // share of its time spent waiting, 0 to 1
	Distance float32 // consensus distance to its neighbours
	Ages     []Age   // of the estimates it holds of its neighbours
}

// Age is the age of the newest estimate of one neighbour. Peer is its ShortID.
type Age struct {
	Peer uint32
	Age  time.Duration // carried in milliseconds
}

// Announce says where a member can be reached. Who says it is known from the signature of the
// control topic's message.
type Announce struct {
	Run     Hash
	Name    string
	Addrs   []string // multiaddrs without the peer id
	Leaving bool
}

// Introduce passes on what the sender knows of another member, so that a peer that joins need not
// wait for everybody's next announcement.
type Introduce struct {
	Peer  consensus.Peer
	Name  string
	Addrs []string
}

// ShortID is the form in which a summary names a peer; two members share one with probability 2^-32.
func ShortID(p consensus.Peer) uint32 {
	h := fnv.New32a()
	h.Write([]byte(p))
	return h.Sum32()
}

type kind uint8

const (
	kindEstimate    kind = 1
	kindEstablished kind = 2
	kindIntent      kind = 3
	kindDegree      kind = 4
	kindDone        kind = 5
	kindSpeed       kind = 6
	kindHello       kind = 16
	kindWelcome     kind = 17
	kindRefuse      kind = 18
	kindPing        kind = 19
	kindPong        kind = 20
	kindAck         kind = 21
	kindBye         kind = 22
	kindIntroduce   kind = 23
	kindSummary     kind = 32
	kindAnnounce    kind = 33
)

func (f Frame) kind() kind {
	switch f.Message.(type) {
	case consensus.Estimate:
		return kindEstimate
	case consensus.Established:
		return kindEstablished
	case consensus.Intent:
		return kindIntent
	case consensus.Degree:
		return kindDegree
	case consensus.Done:
		return kindDone
	case consensus.Speed:
		return kindSpeed
	}
	return 0
}

func (Hello) kind() kind     { return kindHello }
func (Welcome) kind() kind   { return kindWelcome }
func (Refuse) kind() kind    { return kindRefuse }
func (Ping) kind() kind      { return kindPing }
func (Pong) kind() kind      { return kindPong }
func (Ack) kind() kind       { return kindAck }
func (Bye) kind() kind       { return kindBye }
func (Introduce) kind() kind { return kindIntroduce }
func (Summary) kind() kind   { return kindSummary }
func (Announce) kind() kind  { return kindAnnounce }
