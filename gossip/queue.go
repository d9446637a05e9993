package gossip

import (
	"slices"
	"sync"

	"github.com/starling-ml/starling/consensus"
)

// Bounds of what waits for the reader of Events, for each neighbour.
const (
	waitingEstimates = 4   // that may not be replaced
	waitingMessages  = 256 // of all other kinds
)

// queue holds events for the one reader of Mesh.Events, in order. Whoever adds on behalf of a
// neighbour reserves a place first, which holds up that neighbour alone.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []*item
	keyed   map[any]*item
	taken   map[place]int
	closed  bool
}

// place is one of the two bounded shares of a neighbour.
type place struct {
	peer     consensus.Peer
	estimate bool
}

func (p place) limit() int {
	if p.estimate {
		return waitingEstimates
	}
	return waitingMessages
}

type item struct {
	event Event
	key   any   // not nil: a later event with the same key replaces this one
	place place // set when a place was reserved
}

func newQueue() *queue {
	q := &queue{keyed: map[any]*item{}, taken: map[place]int{}}
	q.changed = sync.NewCond(&q.mu)
	return q
}

// reserve blocks until p has room and takes it; false means that the queue was closed.
func (q *queue) reserve(p place) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.taken[p] >= p.limit() && !q.closed {
		q.changed.Wait()
	}
	q.taken[p]++
	return !q.closed
}

// crowd is the number of waiting events at which no link may come up any more.
const crowd = 4096

// awaitRoom blocks while the queue is crowded; false means that the queue was closed. It keeps links
// that go up and down from filling the queue of a reader that is stuck.
func (q *queue) awaitRoom() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) >= crowd && !q.closed {
		q.changed.Wait()
	}
	return !q.closed
}

// release gives a reserved place back.
func (q *queue) release(p place) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free(p)
	q.changed.Broadcast()
}

func (q *queue) free(p place) {
	if p == (place{}) {
		return
	}
	q.taken[p]--
	if q.taken[p] == 0 {
		delete(q.taken, p)
	}
}

// put adds an event. It never blocks: the number of events without a key or a place is bounded by
// what the reader itself asks for and by the number of links.
func (q *queue) put(event Event) { q.add(&item{event: event}) }

// putReserved adds an event in a place reserved before.
func (q *queue) putReserved(event Event, p place) { q.add(&item{event: event, place: p}) }

func (q *queue) add(it *item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, it)
	if it.key != nil {
		q.keyed[it.key] = it
	}
	q.changed.Broadcast()
}

// replace adds an event, or puts it in the place of a waiting one with the same key. merge makes the
// event from the waiting one, which is nil when there is none.
func (q *queue) replace(key any, merge func(waiting Event) Event) (replaced bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if it, ok := q.keyed[key]; ok {
		it.event = merge(it.event)
		return true
	}
	it := &item{event: merge(nil), key: key}
	q.items = append(q.items, it)
	q.keyed[key] = it
	q.changed.Broadcast()
	return false
}

// seal lets the waiting event with this key stay as it is: later ones come after it.
func (q *queue) seal(key any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.keyed, key)
}

// next blocks until there is an event and takes it; false means that the queue was closed.
func (q *queue) next() (Event, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 && !q.closed {
		q.changed.Wait()
	}
	if q.closed {
		return nil, false
	}
	it := q.items[0]
	q.items = slices.Delete(q.items, 0, 1)
	if q.keyed[it.key] == it {
		delete(q.keyed, it.key)
	}
	q.free(it.place)
	q.changed.Broadcast()
	return it.event, true
}

// close wakes everybody who waits.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}
