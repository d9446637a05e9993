package wire

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// BenchmarkEstimate encodes and decodes estimates, beside a copy of the same size.
func BenchmarkEstimate(b *testing.B) {
	for _, params := range []int{1e6, 1e7} {
		f := Format{Params: params}
		frame := Frame{Message: ramp(params)}
		encoded, err := f.Append(nil, frame)
		if err != nil {
			b.Fatal(err)
		}
		run := func(name string, step func() error) {
			b.Run(fmt.Sprintf("%s/params=%.0e", name, float64(params)), func(b *testing.B) {
				b.SetBytes(int64(len(encoded)))
				for range b.N {
					if err := step(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("write", func() error {
			_, err := NewWriter(io.Discard, f).Write(frame)
			return err
		})
		run("read", func() error {
			_, _, err := NewReader(bytes.NewReader(encoded), f).Next()
			return err
		})
		scratch := make([]byte, len(encoded))
		run("copy", func() error {
			copy(scratch, encoded)
			return nil
		})
	}
}
