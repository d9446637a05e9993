package wire

import (
	"time"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/consensus"
)

// Generators of packets that are allowed, up to their limits.

func drawFormat(t *rapid.T) Format {
	return Format{Run: drawHash(t), Signature: drawHash(t), Params: rapid.IntRange(0, 50).Draw(t, "params")}
}

func drawHash(t *rapid.T) (h Hash) {
	copy(h[:], rapid.SliceOfN(rapid.Byte(), len(h), len(h)).Draw(t, "hash"))
	return h
}

var printableRunes = rapid.RuneFrom([]rune("abcXYZ019 -_./:éß漢🐦"))

func drawText(t *rapid.T, limit int) string {
	return rapid.StringOfN(printableRunes, 0, -1, limit).Draw(t, "text")
}

func drawFinite(t *rapid.T) float32 {
	return rapid.Float32Range(-3e38, 3e38).Draw(t, "number")
}

func drawDuration(t *rapid.T) consensus.Duration {
	return consensus.Duration(rapid.Int64Min(0).Draw(t, "duration"))
}

func drawNumber(t *rapid.T) uint64 { return rapid.Uint64().Draw(t, "number") }

func drawPeer(t *rapid.T) consensus.Peer { return consensus.Peer(drawText(t, MaxName)) }

func drawPacket(t *rapid.T, f Format) Packet {
	switch rapid.IntRange(0, 13).Draw(t, "kind") {
	case 0:
		return drawHello(t)
	case 1:
		return Welcome{}
	case 2:
		return Refuse{Code: Code(rapid.Byte().Draw(t, "code")), Text: drawText(t, MaxText)}
	case 3:
		return Ping{Nonce: drawNumber(t)}
	case 4:
		return Pong{Nonce: drawNumber(t)}
	case 5:
		reason := rapid.SampledFrom(append(Reasons(), "")).Draw(t, "reason")
		return Ack{Seq: drawNumber(t), Reason: reason}
	case 6:
		return Bye{Text: drawText(t, MaxText)}
	case 7:
		return Introduce{Peer: drawPeer(t), Name: drawText(t, MaxName), Addrs: drawAddrs(t)}
	case 8:
		return drawSummary(t)
	case 9:
		return Announce{
			Run: drawHash(t), Name: drawText(t, MaxName), Leaving: rapid.Bool().Draw(t, "leaving"), Addrs: drawAddrs(t),
		}
	}
	message := drawMessage(t, f)
	return Frame{Message: message, Age: drawDuration(t), Replace: rapid.Bool().Draw(t, "replace")}
}

func drawMessage(t *rapid.T, f Format) consensus.Message {
	epoch, round := drawNumber(t), drawNumber(t)
	switch rapid.IntRange(0, 7).Draw(t, "message") {
	case 0:
		return consensus.Established{Epoch: epoch, Cycle: drawNumber(t), Round: round, U: drawPeer(t), V: drawPeer(t)}
	case 1:
		return consensus.Intent{Epoch: epoch, Round: round, Include: rapid.Bool().Draw(t, "include")}
	case 2:
		return consensus.Degree{Epoch: epoch, Round: round, Active: rapid.IntRange(0, maxDegree).Draw(t, "active")}
	case 3:
		return consensus.Done{Epoch: epoch, Round: round, Peer: drawPeer(t), Gone: rapid.Bool().Draw(t, "gone")}
	case 4:
		return consensus.Speed{Epoch: epoch, Peer: drawPeer(t), Version: drawNumber(t), StepTime: drawDuration(t)}
	}
	e := consensus.Estimate{
		Epoch: epoch, Round: round, Seq: drawNumber(t), Steps: drawNumber(t), StepTime: drawDuration(t),
		Degree: rapid.IntRange(0, maxDegree).Draw(t, "degree"), Loss: drawFinite(t),
		Work: rapid.IntRange(0, maxWork).Draw(t, "work"), Base: drawNumber(t), Answer: drawNumber(t),
		Weight: rapid.Float64Min(0).Draw(t, "weight"),
	}
	if rapid.Bool().Draw(t, "frame") {
		e.Frame = rapid.SliceOfN(rapid.Byte(), 1, 8*f.Params+1024).Draw(t, "bytes")
	} else {
		e.Params = drawVector(t, f.Params)
	}
	if f.Params > 0 && rapid.Bool().Draw(t, "extra") {
		e.Extra = drawVector(t, f.Params)
	}
	return e
}

func drawVector(t *rapid.T, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = drawFinite(t)
	}
	return x
}

func drawHello(t *rapid.T) Hello {
	h := Hello{
		Version: Version, Software: drawText(t, MaxName), Name: drawText(t, MaxName), RunName: drawText(t, MaxName),
		Recipe: drawText(t, MaxText), Initial: drawHash(t), Epoch: drawNumber(t),
	}
	for range rapid.IntRange(0, 5).Draw(t, "tensors") {
		tensor := Tensor{Name: drawText(t, MaxText), DType: rapid.SampledFrom([]string{Float32, "float16"}).Draw(t, "type")}
		for range rapid.IntRange(0, MaxDims).Draw(t, "dimensions") {
			tensor.Shape = append(tensor.Shape, rapid.IntRange(1, 10).Draw(t, "dimension"))
		}
		h.Signature = append(h.Signature, tensor)
	}
	return h
}

func drawSummary(t *rapid.T) Summary {
	s := Summary{
		Run: drawHash(t), Name: drawText(t, MaxName/2), State: State(rapid.Byte().Draw(t, "state")),
		Epoch: drawNumber(t), Round: drawNumber(t), Steps: drawNumber(t), StepTime: drawDuration(t),
		Loss: drawFinite(t), Accuracy: drawFinite(t), Waiting: drawFinite(t), Distance: drawFinite(t),
	}
	for range rapid.IntRange(0, MaxAges).Draw(t, "ages") {
		age := time.Duration(rapid.Uint32().Draw(t, "age")) * time.Millisecond
		s.Ages = append(s.Ages, Age{Peer: rapid.Uint32().Draw(t, "peer"), Age: age})
	}
	return s
}

func drawAddrs(t *rapid.T) []string {
	var addrs []string
	for range rapid.IntRange(0, MaxAddresses).Draw(t, "addresses") {
		addrs = append(addrs, drawText(t, MaxAddress))
	}
	return addrs
}
