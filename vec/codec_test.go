package vec_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/vec"
)

// pair draws two vectors of one length, of values of all sizes.
func pair(r *rapid.T) (x, base []float32) {
	n := rapid.IntRange(0, 700).Draw(r, "length")
	x, base = noise(n, rapid.Uint64().Draw(r, "x")), noise(n, rapid.Uint64().Draw(r, "base"))
	scale := float32(math.Ldexp(1, rapid.IntRange(-60, 60).Draw(r, "size")))
	for i := range x {
		x[i], base[i] = x[i]*scale, base[i]*scale
	}
	return x, base
}

// A value is off by half of the last of its eight digits at most, which is a share of 2^-8.
func TestBF16KeepsEightDigits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x, _ := pair(r)
		frame := vec.AppendBF16(nil, x)
		got, err := vec.DecodeBF16(frame, len(x))
		if err != nil || len(frame) != 2*len(x) {
			r.Fatalf("%d bytes for %d values: %v", len(frame), len(x), err)
		}
		for i := range x {
			if off := math.Abs(float64(got[i] - x[i])); off > math.Abs(float64(x[i]))/256 {
				r.Fatalf("%v became %v", x[i], got[i])
			}
		}
	})
}

func TestBF16RoundsToEvenAndStaysFinite(t *testing.T) {
	for _, c := range [][2]float32{
		{1, 1},
		{1 + 1.0/256, 1},
		{1 + 3.0/256, 1 + 4.0/256},
		{-0.5, -0.5},
		{math.MaxFloat32, 0x1.fep127},
		{-math.MaxFloat32, -0x1.fep127},
		{0, 0},
	} {
		got, err := vec.DecodeBF16(vec.AppendBF16(nil, c[:1]), 1)
		if err != nil || got[0] != c[1] {
			t.Errorf("%v became %v, want %v (%v)", c[0], got, c[1], err)
		}
	}
}

// No difference is off by more than half a level, a 254th of the largest one of its block.
func TestInt8IsWithinHalfALevel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x, base := pair(r)
		block := rapid.IntRange(1, 300).Draw(r, "block")
		frame := vec.AppendInt8(nil, x, base, block)
		got, err := vec.DecodeInt8(frame, base, block)
		if err != nil {
			r.Fatal(err)
		}
		if blocks := (len(x) + block - 1) / block; len(frame) != len(x)+4*blocks {
			r.Fatalf("%d bytes for %d values in %d blocks", len(frame), len(x), blocks)
		}
		for lo := 0; lo < len(x); lo += block {
			hi := min(lo+block, len(x))
			largest := 0.0
			for i := lo; i < hi; i++ {
				largest = max(largest, math.Abs(float64(x[i]-base[i])))
			}
			for i := lo; i < hi; i++ {
				// Sums are rounded too: to a share of 2^-24 of values of up to twice the largest.
				bound := largest/253 + math.Abs(float64(x[i]))*1e-6
				if off := math.Abs(float64(got[i] - x[i])); off > bound {
					r.Fatalf("%v against %v became %v, off by more than %v", x[i], base[i], got[i], bound)
				}
			}
		}
	})
}

// What was not sent is in the next difference, so repeating the difference to what the other end has
// comes to the value itself. That is the error feedback of all codecs of differences.
func TestRepeatedDifferencesConverge(t *testing.T) {
	x, at := noise(1000, 1), make([]float32, 1000)
	for range 4 {
		var err error
		if at, err = vec.DecodeInt8(vec.AppendInt8(nil, x, at, 256), at, 256); err != nil {
			t.Fatal(err)
		}
	}
	if off := vec.Distance(x, at); off > 1e-5 {
		t.Errorf("int8 is still %v away after 4 frames", off)
	}
	at = make([]float32, 1000)
	for range 15 {
		var err error
		chosen := vec.Largest(x, at, 200)
		if at, err = vec.DecodeAt(vec.AppendAt(nil, x, at, chosen), at, chosen); err != nil {
			t.Fatal(err)
		}
	}
	if off := vec.Distance(x, at); off > 1e-3 {
		t.Errorf("a fifth at a time is still %v away after 15 frames", off)
	}
}

func TestInt8OfEqualAndExtremeValues(t *testing.T) {
	x := []float32{1, 2, math.MaxFloat32, -math.MaxFloat32}
	same, err := vec.DecodeInt8(vec.AppendInt8(nil, x, x, 2), x, 2)
	if err != nil {
		t.Fatal(err)
	}
	bitsEqual(t, same, x)
	far := []float32{-1, 0, -math.MaxFloat32, math.MaxFloat32} // differences beyond float32
	got, err := vec.DecodeInt8(vec.AppendInt8(nil, x, far, 2), far, 2)
	if err != nil || !vec.Finite(got) {
		t.Errorf("got %v, %v", got, err)
	}
}

// The chosen are what a full sort would choose.
func TestLargestAgreesWithSorting(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x, base := pair(r)
		if rapid.Bool().Draw(r, "ties") {
			for i := range x {
				x[i], base[i] = float32(i%3), 0
			}
		}
		k := rapid.IntRange(-1, 800).Draw(r, "k")
		if got, want := vec.Largest(x, base, k), largest(x, base, k); !slices.Equal(got, want) {
			r.Fatalf("chose %v, want %v", got, want)
		}
	})
	x, base := noise(1<<17, 1), noise(1<<17, 2)
	if !slices.Equal(vec.Largest(x, base, 1000), largest(x, base, 1000)) {
		t.Errorf("of %d values others are chosen", len(x))
	}
}

// largest sorts.
func largest(x, base []float32, k int) []uint32 {
	order := make([]uint32, len(x))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		return cmp.Compare(math.Abs(float64(x[b]-base[b])), math.Abs(float64(x[a]-base[a])))
	})
	chosen := order[:max(0, min(k, len(order)))]
	slices.Sort(chosen)
	return chosen
}

func TestIndicesComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(r, "length")
		indices := rapid.SliceOfNDistinct(rapid.Uint32Range(0, uint32(n-1)), 0, min(n, 50),
			rapid.ID[uint32]).Draw(r, "indices")
		slices.Sort(indices)
		frame := append(vec.AppendIndices(nil, indices), 7)
		got, rest, err := vec.ReadIndices(frame, n)
		if err != nil || !slices.Equal(got, indices) || len(rest) != 1 {
			r.Fatalf("%v came back as %v, rest %v (%v)", indices, got, rest, err)
		}
	})
}

func TestPartReplacesItsRange(t *testing.T) {
	x, base := noise(10, 1), noise(10, 2)
	r := vec.Range{Lo: 3, Hi: 6}
	got, err := vec.DecodePart(vec.AppendPart(nil, x, r), base, r)
	if err != nil {
		t.Fatal(err)
	}
	bitsEqual(t, got[:3], base[:3])
	bitsEqual(t, got[3:6], x[3:6])
	bitsEqual(t, got[6:], base[6:])
}

// Frames that no encoder wrote are refused: they come from other machines.
func TestDecodersRefuseOtherFrames(t *testing.T) {
	base := make([]float32, 4)
	nan := []byte{0, 0, 0xc0, 0x7f}
	infinite := append([]byte{0, 0, 0x80, 0x7f}, 1, 1, 1, 1)
	var err error
	for name, decode := range map[string]func(){
		"bf16 of another length": func() { _, err = vec.DecodeBF16(make([]byte, 7), 4) },
		"bf16 that is no number": func() { _, err = vec.DecodeBF16(nan[2:], 1) },
		"int8 of another length": func() { _, err = vec.DecodeInt8(make([]byte, 7), base, 256) },
		"int8 that is infinite":  func() { _, err = vec.DecodeInt8(infinite, base, 256) },
		"differences too few":    func() { _, err = vec.DecodeAt(make([]byte, 3), base, []uint32{1, 2}) },
		"a difference, no number": func() {
			_, err = vec.DecodeAt(nan[2:], base, []uint32{1})
		},
		"a part of another length": func() { _, err = vec.DecodePart(make([]byte, 3), base, vec.Range{Hi: 1}) },
		"a part that is too far":   func() { _, err = vec.DecodePart(nil, base, vec.Range{Lo: 5, Hi: 5}) },
		"a part that is no number": func() { _, err = vec.DecodePart(nan, base, vec.Range{Hi: 1}) },
		"no indices":               func() { _, _, err = vec.ReadIndices(nil, 4) },
		"more indices than values": func() { _, _, err = vec.ReadIndices([]byte{5, 0, 0, 0, 0, 0}, 4) },
		"an index too far":         func() { _, _, err = vec.ReadIndices([]byte{2, 3, 0}, 4) },
		"indices cut short":        func() { _, _, err = vec.ReadIndices([]byte{2, 1, 0x80}, 4) },
	} {
		err = nil
		if decode(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestCodecsCheckTheirParameters(t *testing.T) {
	for _, good := range []vec.CodecKind{vec.Dense, vec.BF16, vec.Int8, vec.TopK, vec.Slim, vec.Fragment, vec.Auto} {
		c := vec.Codec{Kind: good}.WithDefaults()
		if err := c.Check(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, bad := range []vec.Codec{
		{Kind: "zip"}, {Block: -1}, {Keep: 1.1}, {Keep: math.NaN()}, {Random: -1}, {Parts: -2},
	} {
		if bad.Check() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	given := vec.Codec{Kind: vec.Slim, Keep: 0.1, Random: 0.5}
	if got := given.WithDefaults(); got != given {
		t.Errorf("%+v became %+v", given, got)
	}
}

// BenchmarkLargest prints the time of choosing one value in a hundred, for each of all values.
func BenchmarkLargest(b *testing.B) {
	for _, n := range []int{1e3, 1e5, 1e7} {
		b.Run(fmt.Sprintf("n=%.0e", float64(n)), func(b *testing.B) {
			x, base := noise(n, 1), noise(n, 2)
			for b.Loop() {
				vec.Largest(x, base, n/100)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/value")
		})
	}
}
