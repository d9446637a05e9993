package sim

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/starling-ml/starling/consensus"
)

// The heap gives what sorting by time, and for equal times by the order of pushing, would give.
func TestQueueSorts(t *testing.T) {
	t.Parallel()
	for seedValue := range uint64(50) {
		r := rand.New(rand.NewPCG(seedValue, 0))
		var q queue
		var twin, popped [][2]int64 // time and number
		for k := range int64(200) {
			at := r.Int64N(20)
			twin = append(twin, [2]int64{at, k})
			q.push(consensus.Time(at), func() { popped = append(popped, [2]int64{at, k}) })
		}
		slices.SortStableFunc(twin, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
		for q.next() != consensus.Never {
			q.pop().do()
		}
		if !slices.Equal(popped, twin) {
			t.Fatalf("seed %d: events come in the order %v", seedValue, popped)
		}
	}
}

// Pushes and pops may alternate: nothing comes before what was popped.
func TestQueueNeverGoesBack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 0))
	var q queue
	now := consensus.Time(0)
	for range 10_000 {
		if r.IntN(3) > 0 || q.next() == consensus.Never {
			q.push(now+consensus.Time(r.Int64N(50)), nil)
			continue
		}
		e := q.pop()
		if e.at < now {
			t.Fatalf("an event of time %d comes at time %d", e.at, now)
		}
		now = e.at
	}
}
