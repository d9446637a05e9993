package wire_test

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// Two agents that were started with different models learn which line to change.
func ExampleCompare() {
	mine := wire.Hello{Name: "home-gpu", RunName: "digits-lab", Signature: wire.Signature{
		{Name: "conv.weight", Shape: []int{8, 1, 3, 3}},
		{Name: "fc.weight", Shape: []int{10, 128}},
	}}
	theirs := wire.Hello{Name: "lab-pc", RunName: "digits-lab", Signature: wire.Signature{
		{Name: "conv.weight", Shape: []int{8, 1, 3, 3}},
		{Name: "fc.weight", Shape: []int{10, 256}},
	}}
	refuse := wire.Compare(mine, theirs)
	fmt.Println(refuse.Code)
	fmt.Println(wire.Diff(mine.Signature, theirs.Signature))
	// Output:
	// model
	// layer 1 "fc.weight" is [10, 128] here and [10, 256] there
}

// A stream carries frames; a frame of another run is refused and reading goes on.
func ExampleReader() {
	format := wire.Format{Run: wire.RunHash("digits-lab"), Params: 2}
	other := wire.Format{Run: wire.RunHash("other"), Params: 2}
	var stream bytes.Buffer
	for _, f := range []wire.Format{format, other, format} {
		estimate := consensus.Estimate{Seq: uint64(stream.Len()), Params: []float32{1, 2}}
		if _, err := wire.NewWriter(&stream, f).Write(wire.Frame{Message: estimate}); err != nil {
			fmt.Println(err)
		}
	}
	reader := wire.NewReader(&stream, format)
	for range 3 {
		packet, n, err := reader.Next()
		var refused *wire.Error
		if errors.As(err, &refused) {
			fmt.Println("refused:", refused.Reason)
			continue
		}
		fmt.Println(n, "bytes,", packet.(wire.Frame).Message.(consensus.Estimate).Params)
	}
	// Output:
	// 162 bytes, [1 2]
	// refused: token
	// 162 bytes, [1 2]
}
