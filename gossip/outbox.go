package gossip

import (
	"slices"
	"sync"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

const (
	// inFlight bounds estimates that were written and are not acknowledged. With two, one travels
	// while the other is written; more would only age in buffers on a slow link.
	inFlight = 2
	// outboxEstimates bounds queued estimates that may not be replaced, outboxMessages all others.
	outboxEstimates = 8
	outboxMessages  = 1024
)

// letter is a message on its way to a neighbour.
type letter struct {
	message consensus.Message
	seq     uint64 // of an estimate
	replace bool
	queued  time.Time
}

func newLetter(message consensus.Message, replace bool) letter {
	l := letter{message: message, queued: time.Now()}
	if estimate, ok := message.(consensus.Estimate); ok {
		l.seq, l.replace = estimate.Seq, replace
	}
	return l
}

func (l letter) estimate() bool {
	_, ok := l.message.(consensus.Estimate)
	return ok
}

func (l letter) frame() wire.Frame {
	return wire.Frame{
		Message: l.message,
		Age:     consensus.Duration(max(time.Since(l.queued), 0)),
		Replace: l.replace,
	}
}

// outbox holds what is to be sent in one session with a neighbour.
type outbox struct {
	ready chan struct{} // gets a token when something may have become sendable

	mu      sync.Mutex
	letters []letter
	flying  []letter // written and not acknowledged
	closed  bool
}

func newOutbox() *outbox { return &outbox{ready: make(chan struct{}, 1)} }

// put queues a letter. It returns the letter that had to make room, with the reason; full says that
// the neighbour does not take its messages and the link must go.
func (o *outbox) put(l letter) (dropped *letter, reason UndeliveredReason, full bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return &l, LinkDown, false
	}
	defer o.signal()
	if !l.estimate() {
		full = o.count(false) >= outboxMessages
		o.letters = append(o.letters, l)
		return nil, "", full
	}
	if l.replace {
		if i := slices.IndexFunc(o.letters, func(old letter) bool { return old.replace }); i >= 0 {
			old := o.letters[i]
			o.letters = append(slices.Delete(o.letters, i, i+1), l)
			return &old, Replaced, false
		}
	} else if o.count(true) >= outboxEstimates {
		return &l, Overflow, false
	}
	o.letters = append(o.letters, l)
	return nil, "", false
}

func (o *outbox) count(estimates bool) int {
	n := 0
	for _, l := range o.letters {
		if l.estimate() == estimates {
			n++
		}
	}
	return n
}

// take returns the next letter that may be written now. An estimate is in flight from here on.
func (o *outbox) take() (letter, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.letters) == 0 || o.closed {
		return letter{}, false
	}
	l := o.letters[0]
	if l.estimate() {
		if len(o.flying) >= inFlight {
			return letter{}, false
		}
		o.flying = append(o.flying, l)
	}
	o.letters = slices.Delete(o.letters, 0, 1)
	return l, true
}

// landed takes the estimate with this number out of flight.
func (o *outbox) landed(seq uint64) (letter, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.flying, func(l letter) bool { return l.seq == seq })
	if i < 0 {
		return letter{}, false
	}
	l := o.flying[i]
	o.flying = slices.Delete(o.flying, i, i+1)
	o.signal()
	return l, true
}

// close returns all estimates that will not be acknowledged, in the order in which they were sent.
func (o *outbox) close() []letter {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	undelivered := append(o.flying, slices.DeleteFunc(o.letters, func(l letter) bool { return !l.estimate() })...)
	o.letters, o.flying = nil, nil
	return undelivered
}

func (o *outbox) signal() {
	select {
	case o.ready <- struct{}{}:
	default:
	}
}
