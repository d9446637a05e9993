package sim

import (
	"math"

	"github.com/starling-ml/starling/consensus"
)

// event is something that happens at one instant of virtual time.
type event struct {
	at  consensus.Time
	seq uint64 // order of scheduling, so that events of one instant have one order
	do  func()
}

// queue is a binary heap of events by (at, seq). The zero value is empty.
type queue struct {
	heap []event
	seq  uint64
}

func (q *queue) push(at consensus.Time, do func()) {
	q.seq++
	q.heap = append(q.heap, event{at: at, seq: q.seq, do: do})
	for i := len(q.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q.before(i, parent) {
			return
		}
		q.heap[i], q.heap[parent] = q.heap[parent], q.heap[i]
		i = parent
	}
}

// next returns the time of the earliest event, or the end of time when there is none.
func (q *queue) next() consensus.Time {
	if len(q.heap) == 0 {
		return math.MaxInt64
	}
	return q.heap[0].at
}

// pop removes the earliest event of a queue that is not empty.
func (q *queue) pop() event {
	first, last := q.heap[0], len(q.heap)-1
	q.heap[0] = q.heap[last]
	q.heap[last] = event{}
	q.heap = q.heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < last && q.before(child+1, child) {
			child++
		}
		if child >= last || !q.before(child, i) {
			return first
		}
		q.heap[i], q.heap[child] = q.heap[child], q.heap[i]
		i = child
	}
}

func (q *queue) before(i, j int) bool {
	a, b := &q.heap[i], &q.heap[j]
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}
