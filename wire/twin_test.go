package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/consensus"
)

// twin is the encoder written a second time, straight from the tables of docs/PROTOCOL.md: a list of
// fields, each written as its Go type says, with nothing shared with the real one but the constants.
func twin(f Format, p Packet) []byte {
	version, number, fields := byte(Version), byte(0), []any(nil)
	frame := func(n byte, m Frame, more ...any) {
		number = n
		fields = append([]any{f.Run, f.Signature, uint64(m.Age), m.Replace}, more...)
	}
	switch p := p.(type) {
	case Frame:
		switch m := p.Message.(type) {
		case consensus.Estimate:
			codec, length, content := byte(0), 4*len(m.Params), any(m.Params)
			if m.Frame != nil {
				codec, length, content = 1, len(m.Frame), m.Frame
			}
			frame(1, p, m.Epoch, m.Round, m.Seq, m.Steps, uint64(m.StepTime), uint32(m.Degree), m.Loss, uint32(m.Work),
				m.Base, m.Answer, m.Weight, codec, uint64(length), uint64(4*len(m.Extra)), content, m.Extra)
		case consensus.Established:
			frame(2, p, m.Epoch, m.Cycle, m.Round, string(m.U), string(m.V))
		case consensus.Intent:
			frame(3, p, m.Epoch, m.Round, m.Include)
		case consensus.Degree:
			frame(4, p, m.Epoch, m.Round, uint32(m.Active))
		case consensus.Done:
			frame(5, p, m.Epoch, m.Round, string(m.Peer), m.Gone)
		case consensus.Speed:
			frame(6, p, m.Epoch, string(m.Peer), m.Version, uint64(m.StepTime))
		}
	case Hello:
		version, number = p.Version, 16
		fields = []any{p.Software, p.Name, p.RunName, p.Recipe, p.Initial, p.Epoch, uint16(len(p.Signature))}
		for _, t := range p.Signature {
			fields = append(fields, t.Name, t.DType, uint16(len(t.Shape)))
			for _, dim := range t.Shape {
				fields = append(fields, uint32(dim))
			}
		}
	case Welcome:
		number = 17
	case Refuse:
		number, fields = 18, []any{byte(p.Code), p.Text}
	case Ping:
		number, fields = 19, []any{p.Nonce}
	case Pong:
		number, fields = 20, []any{p.Nonce}
	case Ack:
		reasons := map[Reason]byte{"": 0, Token: 1, Schema: 2, NaN: 3, Checksum: 4, Replay: 5, Size: 6}
		number, fields = 21, []any{p.Seq, reasons[p.Reason]}
	case Bye:
		number, fields = 22, []any{p.Text}
	case Introduce:
		number, fields = 23, []any{string(p.Peer), p.Name, p.Addrs}
	case Summary:
		number = 32
		fields = []any{
			p.Run, p.Name, byte(p.State), p.Epoch, p.Round, p.Steps, uint64(p.StepTime),
			p.Loss, p.Accuracy, p.Waiting, p.Distance, uint16(len(p.Ages)),
		}
		for _, age := range p.Ages {
			fields = append(fields, age.Peer, uint32(age.Age/time.Millisecond))
		}
	case Announce:
		number, fields = 33, []any{p.Run, p.Name, p.Leaving, p.Addrs}
	}
	return twinPacket(version, number, fields)
}

func twinPacket(version, number byte, fields []any) []byte {
	var body, packet bytes.Buffer
	for _, field := range fields {
		twinField(&body, field)
	}
	packet.WriteString("STRL")
	for _, part := range []any{version, number, uint16(0), uint64(body.Len()), body.Bytes()} {
		binary.Write(&packet, binary.LittleEndian, part)
	}
	sum := crc32.Checksum(packet.Bytes(), crc32.MakeTable(crc32.Castagnoli))
	binary.Write(&packet, binary.LittleEndian, sum)
	return packet.Bytes()
}

func twinField(body *bytes.Buffer, field any) {
	switch field := field.(type) {
	case string:
		binary.Write(body, binary.LittleEndian, uint16(len(field)))
		body.WriteString(field)
	case []string:
		binary.Write(body, binary.LittleEndian, uint16(len(field)))
		for _, s := range field {
			twinField(body, s)
		}
	default:
		if err := binary.Write(body, binary.LittleEndian, field); err != nil {
			panic(fmt.Sprintf("field %T: %v", field, err))
		}
	}
}

// TestTwin compares the encoder with its twin and the decoder with both, on packets of all shapes.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFormat(t)
		packet := drawPacket(t, f)
		want := twin(f, packet)
		got, err := f.Append(nil, packet)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%+v encodes to\n%x, error %v, its twin to\n%x", packet, got, err, want)
		}
		decoded, err := f.Decode(want)
		if err != nil || !reflect.DeepEqual(decoded, packet) {
			t.Fatalf("%+v was decoded, error %v, from what encodes\n%+v", decoded, err, packet)
		}
	})
}

// TestStream reads whole streams in which some packets are of another run or not finite: the others
// must come through, in order, and the bad ones must be counted one by one.
func TestStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFormat(t)
		other := f
		other.Run[15] ^= 1
		var stream []byte
		var want []Packet // nil for a bad one
		for range rapid.IntRange(0, 20).Draw(t, "packets") {
			packet := drawPacket(t, f)
			_, isFrame := packet.(Frame)
			if bad := isFrame && rapid.Bool().Draw(t, "bad"); bad {
				stream = append(stream, twin(other, packet)...)
				want = append(want, nil)
			} else {
				stream = append(stream, twin(f, packet)...)
				want = append(want, packet)
			}
		}
		piece := rapid.IntRange(1, 97).Draw(t, "piece")
		r := NewReader(&pieces{rest: stream, size: piece}, f)
		at := 0
		for i, packet := range want {
			got, n, err := r.Next()
			at += n
			refused, isRefused := err.(*Error)
			switch {
			case packet == nil && (!isRefused || refused.Reason != Token || refused.Lost):
				t.Fatalf("packet %d of another run: %+v, error %v", i, got, err)
			case packet != nil && (err != nil || !reflect.DeepEqual(got, packet)):
				t.Fatalf("packet %d is %+v, error %v, want %+v", i, got, err, packet)
			}
		}
		if at != len(stream) {
			t.Fatalf("%d of %d bytes were accounted for", at, len(stream))
		}
	})
}

// pieces reads in small pieces, as sockets do.
type pieces struct {
	rest []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	n, err := bytes.NewReader(p.rest[:min(len(p.rest), p.size)]).Read(b)
	p.rest = p.rest[n:]
	return n, err
}

func TestSwapFloats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Float32()).Draw(t, "values")
		var big, little bytes.Buffer
		binary.Write(&big, binary.BigEndian, values)
		binary.Write(&little, binary.LittleEndian, values)
		if got := appendFloats(nil, values); !bytes.Equal(got, little.Bytes()) {
			t.Fatalf("appended %x, want %x", got, little.Bytes())
		}
		if !littleEndian {
			return
		}
		if got := encodeFloats(nil, values); !bytes.Equal(got, little.Bytes()) {
			t.Fatalf("encoded %x, want %x", got, little.Bytes())
		}
		swapped := append([]float32(nil), values...)
		swapFloats(swapped)
		if got := floatBytes(swapped); !bytes.Equal(got, big.Bytes()) {
			t.Fatalf("swapped to %x, want %x", got, big.Bytes())
		}
	})
}
