package consensus

import (
	"testing"

	"pgregory.net/rapid"
)

// What one end takes is what the other gave, whatever is lost or repeated on the way.
func TestLedgersLoseNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var giver, taker ledger
		given, taken := 0.0, 0.0
		for seq := uint64(1); seq <= 60; seq++ {
			amount := float64(rapid.IntRange(1, 9).Draw(r, "amount"))
			giver.give(seq, []float32{float32(amount)}, amount)
			given += amount
			e := giver.write(Estimate{Seq: seq})
			for range rapid.IntRange(0, 2).Draw(r, "arrives") {
				if more, reason := taker.take(e); reason == "" {
					taken += more.weight
					if float64(more.amount[0]) != more.weight {
						r.Fatalf("took %v with the weight %v", more.amount, more.weight)
					}
				}
			}
			if rapid.Bool().Draw(r, "answers") {
				giver.answered(taker.seen)
			}
		}
		if more, reason := taker.take(giver.write(Estimate{Seq: 61})); reason == "" {
			taken += more.weight
		}
		if taken != given {
			r.Fatalf("%v was given and %v taken", given, taken)
		}
	})
	// One end that opens its ledger anew names where, and the other one counts from there. What is on its way
	// from before is not counted any more.
	var giver, taker ledger
	giver.give(1, []float32{2}, 1)
	early := giver.write(Estimate{Seq: 1})
	if _, reason := taker.take(early); reason != "" {
		t.Fatal(reason)
	}
	giver = ledger{base: 2}
	giver.give(4, []float32{3}, 1)
	if more, reason := taker.take(giver.write(Estimate{Seq: 4})); reason != "" || more.weight != 1 || more.amount[0] != 3 {
		t.Errorf("a ledger opened anew: %v, %q", more, reason)
	}
	early.Seq = 5
	if _, reason := taker.take(early); reason != ReasonNoBase {
		t.Errorf("a sum from before: %q", reason)
	}
}

// However many estimates are on their way, sums are answered in time and stay short.
func TestLedgersOverLongLinks(t *testing.T) {
	for _, way := range []int{1, 7, 20, 150} {
		for _, every := range []uint64{1, 10} { // estimates of the giver for one of the taker
			var giver, taker ledger
			var there, back []Estimate
			longest := 0.0
			for seq := uint64(1); seq <= 4000; seq++ {
				giver.give(seq, []float32{1}, 1)
				there = append(there, giver.write(Estimate{Seq: seq}))
				longest = max(longest, there[len(there)-1].Weight)
				if seq%every == 0 {
					back = append(back, taker.write(Estimate{Seq: seq}))
				}
				if len(there) > way {
					taker.take(there[0])
					there = there[1:]
				}
				if len(back) > (way+int(every)-1)/int(every) {
					giver.answered(back[0].Answer)
					back = back[1:]
				}
			}
			if bound := 6*float64(way) + 4*float64(every) + 4; longest > bound || len(taker.taken) > 16 {
				t.Errorf("%d on the way, %d for one: a sum of %v gifts, want at most %v; %d sums kept",
					way, every, longest, bound, len(taker.taken))
			}
		}
	}
}
