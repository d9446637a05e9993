package gossip

import "github.com/starling-ml/starling/consensus"

// Contact is the state of one configured or discovered address.
type Contact struct {
	Addr   string // multiaddr ending in /p2p/<id>
	Peer   consensus.Peer
	State  ContactState
	Detail string // for people, empty when State says it all
}

// ContactState is how the last attempt at an address ended. The set is closed.
type ContactState string

// States of a contact.
const (
	ContactTrying    ContactState = "trying"
	ContactOK        ContactState = "ok"
	ContactRefused   ContactState = "refused"       // nothing listens there
	ContactTimeout   ContactState = "timed out"     // no answer
	ContactWrongPeer ContactState = "wrong peer id" // another peer listens there
	ContactRejected  ContactState = "rejected"      // it answered and does not match; see Detail
	ContactFailed    ContactState = "failed"        // anything else; see Detail
)
