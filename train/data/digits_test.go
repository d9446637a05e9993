package data_test

import (
	"testing"

	"github.com/starling-ml/starling/train/data"
)

func TestDigits(t *testing.T) {
	t.Parallel()
	split := digits(t)
	if split.Train.Len() != 1437 || split.Test.Len() != 360 || split.Train.Features() != 64 {
		t.Fatalf("%d train, %d test, %d pixels; want 1437, 360, 64",
			split.Train.Len(), split.Test.Len(), split.Train.Features())
	}
	x := make([]float32, 64)
	count := make([]int, 10)
	for _, part := range []data.Shard{split.Train, split.Test} {
		for i := range part.Len() {
			count[int(part.Read(i, x))]++
			for _, v := range x {
				if v < 0 || v > 1 || v*16 != float32(int(v*16)) {
					t.Fatalf("grey level %v is not a sixteenth", v)
				}
			}
		}
	}
	// The class counts that scikit-learn documents.
	if want := [10]int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}; [10]int(count) != want {
		t.Errorf("samples by class %v, want %v", count, want)
	}
}

func TestHeldOutPartIsAlwaysTheSame(t *testing.T) {
	t.Parallel()
	a, b := prints(digits(t).Test), prints(digits(t).Test)
	if len(a) != len(b) || a[0] != b[0] || a[359] != b[359] {
		t.Error("two loads hold out different samples")
	}
}

func TestFractionsThatHoldOutNothingOrAll(t *testing.T) {
	t.Parallel()
	for _, f := range []float64{0, 1, -1, 0.9999} {
		if _, err := data.Digits(f); err == nil {
			t.Errorf("fraction %v: no error", f)
		}
	}
}
