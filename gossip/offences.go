package gossip

import (
	"math"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/connmgr"
	"github.com/libp2p/go-libp2p/core/control"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

const (
	// tolerance is the score from which a peer is banned: ten bad packets at once, or a steady one
	// every four seconds.
	tolerance = 10.0
	// forgiveness is the time in which a score halves.
	forgiveness = 30 * time.Second
	// offenders bounds the memory of scores.
	offenders = 4096
)

// offences keeps the scores of peers that sent bad packets, and gates the banned ones out.
type offences struct {
	ban time.Duration

	mu     sync.Mutex
	scores map[peer.ID]score
}

type score struct {
	value float64
	at    time.Time
	until time.Time // banned until then
}

var _ connmgr.ConnectionGater = (*offences)(nil)

func newOffences(ban time.Duration) *offences {
	return &offences{ban: ban, scores: map[peer.ID]score{}}
}

// add raises the score of a peer and tells whether it is banned by that.
func (o *offences) add(id peer.ID, weight float64, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.scores) >= offenders {
		o.forget(now)
	}
	s := o.scores[id]
	s.value = s.decayed(now) + weight
	s.at = now
	if s.value >= tolerance {
		s.until, s.value = now.Add(o.ban), tolerance/2
	}
	o.scores[id] = s
	return s.until.After(now)
}

func (s score) decayed(now time.Time) float64 {
	return s.value * math.Exp2(-now.Sub(s.at).Seconds()/forgiveness.Seconds())
}

// forget drops the scores that have faded, or all when none has: the memory is bounded.
func (o *offences) forget(now time.Time) {
	for id, s := range o.scores {
		if s.decayed(now) < 0.5 && !s.until.After(now) {
			delete(o.scores, id)
		}
	}
	if len(o.scores) >= offenders {
		clear(o.scores)
	}
}

func (o *offences) banned(id peer.ID, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.scores[id].until.After(now)
}

// InterceptPeerDial keeps this peer from dialling banned ones.
func (o *offences) InterceptPeerDial(id peer.ID) bool { return !o.banned(id, time.Now()) }

// InterceptAddrDial allows every address.
func (o *offences) InterceptAddrDial(peer.ID, ma.Multiaddr) bool { return true }

// InterceptAccept allows every address: who it is, is not known yet.
func (o *offences) InterceptAccept(network.ConnMultiaddrs) bool { return true }

// InterceptSecured refuses connections with banned peers.
func (o *offences) InterceptSecured(_ network.Direction, id peer.ID, _ network.ConnMultiaddrs) bool {
	return !o.banned(id, time.Now())
}

// InterceptUpgraded allows what InterceptSecured allowed.
func (o *offences) InterceptUpgraded(network.Conn) (bool, control.DisconnectReason) { return true, 0 }
