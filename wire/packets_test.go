package wire

import (
	"math"
	"strings"
	"time"

	"github.com/starling-ml/starling/consensus"
)

var testSignature = Signature{
	{Name: "fc.weight", Shape: []int{2, 1}, DType: Float32},
	{Name: "fc.bias", Shape: []int{1}, DType: Float32},
}

func testFormat() Format {
	return Format{Run: RunHash("digits-lab"), Signature: testSignature.Hash(), Params: testSignature.Params()}
}

// testPackets are one packet of every kind, with every field set, under the name of its golden vector.
func testPackets() map[string]Packet {
	f := testFormat()
	return map[string]Packet{
		"estimate": Frame{Age: 7, Replace: true, Message: consensus.Estimate{
			Epoch: 1, Round: 2, Seq: 3, Steps: 4, StepTime: 5, Degree: 6, Loss: 0.5, Params: []float32{1, -2, 3.5},
		}},
		"estimate-extra": Frame{Message: consensus.Estimate{
			Epoch: 1, Round: 2, Seq: 3, Steps: 4, StepTime: 5, Degree: 6, Loss: 0.5, Work: 7, Base: 8, Answer: 9,
			Weight: 0.75, Params: []float32{1, -2, 3.5}, Extra: []float32{-0.5, 0.25, 2},
		}},
		"estimate-frame": Frame{Replace: true, Message: consensus.Estimate{
			Epoch: 1, Round: 2, Seq: 3, Work: 7, Base: 2, Frame: []byte{0xff, 1, 2, 3, 4}, Extra: []float32{1, 2, 3},
		}},
		"established": Frame{Message: consensus.Established{Epoch: 1, Cycle: 2, Round: 3, U: "a", V: "b"}},
		"intent":      Frame{Age: 9, Message: consensus.Intent{Epoch: 1, Round: 2, Include: true}},
		"degree":      Frame{Message: consensus.Degree{Epoch: 1, Round: 2, Active: 3}},
		"done":        Frame{Message: consensus.Done{Epoch: 1, Round: 2, Peer: "12D3KooW", Gone: true}},
		"speed":       Frame{Message: consensus.Speed{Epoch: 1, Peer: "12D3KooW", Version: 2, StepTime: 3}},
		"hello": Hello{
			Version: Version, Software: "0.1.0", Name: "lab-pc", RunName: "digits-lab", Signature: testSignature,
			Initial: ParamsHash([]float32{1, 2, 3}), Recipe: "quorum", Epoch: 11,
		},
		"welcome":   Welcome{},
		"refuse":    Refuse{Code: CodeModel, Text: "layer 3 differs"},
		"ping":      Ping{Nonce: 1},
		"pong":      Pong{Nonce: 2},
		"ack":       Ack{Seq: 3},
		"nack":      Ack{Seq: 3, Reason: NaN},
		"bye":       Bye{Text: "leaving"},
		"introduce": Introduce{Peer: "12D3KooW", Name: "home-gpu", Addrs: []string{"/ip4/1.2.3.4/tcp/4001"}},
		"summary": Summary{
			Run: f.Run, Name: "lab-pc", State: Straggling, Epoch: 1, Round: 2, Steps: 3, StepTime: 4, Loss: 0.25,
			Accuracy: -1, Waiting: 0.125, Distance: 2, Ages: []Age{{Peer: ShortID("a"), Age: 90 * time.Millisecond}},
		},
		"announce": Announce{Run: f.Run, Name: "lab-pc", Leaving: true, Addrs: []string{"/ip4/1.2.3.4/tcp/1"}},
	}
}

// brokenPackets each break one limit of what may be encoded.
func brokenPackets() map[string]Packet {
	long := strings.Repeat("x", MaxText+1)
	nan := float32(0)
	nan /= nan
	three := []float32{1, 2, 3}
	return map[string]Packet{
		"name too long":        Announce{Name: long},
		"text too long":        Bye{Text: long},
		"control character":    Bye{Text: "\x1b[31m"},
		"not UTF-8":            Bye{Text: "\xff"},
		"too many addresses":   Announce{Addrs: make([]string, MaxAddresses+1)},
		"address too long":     Introduce{Addrs: []string{long}},
		"too many ages":        Summary{Ages: make([]Age, MaxAges+1)},
		"loss not finite":      Summary{Loss: nan},
		"too many tensors":     Hello{Signature: make(Signature, MaxTensors+1)},
		"too many dimensions":  Hello{Signature: Signature{{Name: "w", Shape: make([]int, MaxDims+1)}}},
		"dimension 0":          Hello{Signature: Signature{{Name: "w", Shape: []int{3, 0}}}},
		"dimension negative":   Hello{Signature: Signature{{Name: "w", Shape: []int{-1}}}},
		"tensor too big":       Hello{Signature: Signature{{Name: "w", Shape: []int{1 << 20, 1 << 20}}}},
		"too few parameters":   Frame{Message: consensus.Estimate{Params: []float32{1, 2}}},
		"too many parameters":  Frame{Message: consensus.Estimate{Params: []float32{1, 2, 3, 4}}},
		"estimate's loss":      Frame{Message: consensus.Estimate{Loss: nan, Params: []float32{1, 2, 3}}},
		"degree negative":      Frame{Message: consensus.Degree{Active: -1}},
		"degree too high":      Frame{Message: consensus.Estimate{Params: three, Degree: maxDegree + 1}},
		"work negative":        Frame{Message: consensus.Estimate{Params: three, Work: -1}},
		"weight negative":      Frame{Message: consensus.Estimate{Params: three, Weight: -0.5}},
		"weight not a number":  Frame{Message: consensus.Estimate{Params: three, Weight: math.NaN()}},
		"weight infinite":      Frame{Message: consensus.Estimate{Params: three, Weight: math.Inf(1)}},
		"extra too short":      Frame{Message: consensus.Estimate{Params: three, Extra: three[:1]}},
		"extra with a frame":   Frame{Message: consensus.Estimate{Frame: []byte{1}, Extra: three[:1]}},
		"neither":              Frame{Message: consensus.Estimate{Frame: []byte{}}},
		"frame and parameters": Frame{Message: consensus.Estimate{Params: three, Frame: []byte{1}}},
		"frame too long":       Frame{Message: consensus.Estimate{Frame: make([]byte, 8*3+1024+1)}},
		"speed of a long name": Frame{Message: consensus.Speed{Peer: consensus.Peer(long)}},
		"peer's name too long": Frame{Message: consensus.Done{Peer: consensus.Peer(long)}},
		"hello too long":       Hello{Signature: manyTensors(MaxTensors, MaxText)},
	}
}

func manyTensors(n, name int) Signature {
	s := make(Signature, n)
	for i := range s {
		s[i] = Tensor{Name: strings.Repeat("n", name), Shape: []int{1}}
	}
	return s
}
