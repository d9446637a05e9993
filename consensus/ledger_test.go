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
			amount := float64(rapid.IntRange(-9, 9).Draw(r, "amount"))
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
	// One end that has lost its memory starts anew at both.
	var giver, taker ledger
	giver.give(1, []float32{2}, 1)
	if _, reason := taker.take(giver.write(Estimate{Seq: 1})); reason != "" {
		t.Fatal(reason)
	}
	giver.answered(1)
	giver.give(2, []float32{3}, 1)
	taker = ledger{}
	if _, reason := taker.take(giver.write(Estimate{Seq: 2})); reason != ReasonNoBase {
		t.Errorf("a sum on what is not there: %q", reason)
	}
	giver.answered(0)
	if more, reason := taker.take(giver.write(Estimate{Seq: 3})); reason != "" || more.weight != 1 {
		t.Errorf("a sum on nothing: %v, %q", more, reason)
	}
}
