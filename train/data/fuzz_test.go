package data

import (
	"bytes"
	"math"
	"testing"
)

func FuzzIDX(f *testing.F) {
	f.Add([]byte{0, 0, 8, 1, 0, 0, 0, 2, 7, 9})
	f.Add([]byte{0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2})
	f.Add([]byte{0, 0, 8, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1})
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := readIDX(bytes.NewReader(file))
		if err != nil {
			return
		}
		total := 1
		for _, n := range a.dims {
			total *= n
		}
		if total != len(a.values) {
			t.Errorf("dimensions %v, but %d values", a.dims, len(a.values))
		}
	})
}

func FuzzTable(f *testing.F) {
	f.Add("a,b\n1,x\n2,y\n3,x\n", false)
	f.Add("a,b\n1,2\n2,4\n3,8\n", true)
	f.Add("\ufeff b ,c\r\n\"1\",\"2\r\n\"\r\n", true)
	f.Add("b,a\n1e38,-1e38\n-1e38,1e38\n0x1p-2,1_0\n", true)
	f.Fuzz(func(t *testing.T, file string, regression bool) {
		split, err := readTable("fuzz.csv", bytes.NewReader([]byte(file)),
			Table{Label: "b", Regression: regression, Fraction: 0.3})
		if err != nil {
			return
		}
		x := make([]float32, split.Train.Features())
		for _, part := range []Shard{split.Train, split.Test} {
			for i := range part.Len() {
				y := part.Read(i, x)
				for _, v := range append(x, y) {
					if math.IsNaN(float64(v)) {
						t.Fatalf("row %d is %v, %v", i, x, y)
					}
				}
				if !regression && int(y) >= len(part.Classes) {
					t.Fatalf("class %v of %v", y, part.Classes)
				}
			}
		}
	})
}
