package gossip

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// Stats are totals since Open, and the neighbours of now. Frame bytes are estimates; control bytes
// are everything else that this package sends and reads.
type Stats struct {
	SentFrame, SentControl         int64
	ReceivedFrame, ReceivedControl int64
	// Stale counts estimates that were replaced by newer ones before anybody looked at them.
	StaleSent, StaleReceived int64
	Rejected                 map[wire.Reason]int64
	// Neighbours are the links that are up, sorted by peer.
	Neighbours []Neighbour
}

// Neighbour is one link that is up.
type Neighbour struct {
	Peer     consensus.Peer
	Name     string
	Path     Path
	RTT      time.Duration // last heartbeat's round trip; 0: none yet
	Sent     int64         // bytes
	Received int64         // bytes
}

// counters are the totals behind Stats.
type counters struct {
	sentFrame, sentControl         atomic.Int64
	receivedFrame, receivedControl atomic.Int64
	staleSent, staleReceived       atomic.Int64

	mu       sync.Mutex
	rejected map[wire.Reason]int64
}

func (c *counters) reject(reason wire.Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rejected == nil {
		c.rejected = map[wire.Reason]int64{}
	}
	c.rejected[reason]++
}

func (c *counters) stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	rejected := map[wire.Reason]int64{}
	for _, reason := range wire.Reasons() {
		rejected[reason] = c.rejected[reason]
	}
	return Stats{
		SentFrame:       c.sentFrame.Load(),
		SentControl:     c.sentControl.Load(),
		ReceivedFrame:   c.receivedFrame.Load(),
		ReceivedControl: c.receivedControl.Load(),
		StaleSent:       c.staleSent.Load(),
		StaleReceived:   c.staleReceived.Load(),
		Rejected:        rejected,
	}
}

// count adds the bytes of one packet.
func (c *counters) count(p wire.Packet, sent bool, bytes int) {
	frame, control := &c.receivedFrame, &c.receivedControl
	if sent {
		frame, control = &c.sentFrame, &c.sentControl
	}
	if isEstimate(p) {
		frame.Add(int64(bytes))
	} else {
		control.Add(int64(bytes))
	}
}

func isEstimate(p wire.Packet) bool {
	frame, ok := p.(wire.Frame)
	if !ok {
		return false
	}
	_, ok = frame.Message.(consensus.Estimate)
	return ok
}
