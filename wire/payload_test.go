package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/consensus"
)

// estimates are the four shapes of a payload in a model of n parameters; the frame is as long as it may
// be.
func estimates(n int) map[string]consensus.Estimate {
	frame := make([]byte, 8*n+1024)
	for i := range frame {
		frame[i] = byte(i * 7)
	}
	dense, extra := ramp(n), ramp(n).Params
	return map[string]consensus.Estimate{
		"dense":           dense,
		"dense and extra": {Seq: 9, Params: dense.Params, Extra: extra},
		"frame":           {Seq: 9, Frame: frame},
		"frame and extra": {Seq: 9, Frame: frame, Extra: extra},
	}
}

// TestSizeOf compares the size that is counted with the bytes that are written.
func TestSizeOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFormat(t)
		e, ok := drawMessage(t, f).(consensus.Estimate)
		if !ok {
			return
		}
		n, err := NewWriter(io.Discard, f).Write(Frame{Message: e})
		if err != nil || n != f.SizeOf(e) {
			t.Fatalf("wrote %d bytes, error %v, counted %d", n, err, f.SizeOf(e))
		}
		if dense := e.Frame == nil && e.Extra == nil; dense && n != f.EstimateSize() {
			t.Fatalf("wrote %d bytes, a dense estimate has %d", n, f.EstimateSize())
		}
	})
}

// TestPayloadsInChunks writes and reads payloads of all shapes that do not fit in a chunk: writes stay
// small, and both ways agree with the plain encoder.
func TestPayloadsInChunks(t *testing.T) {
	for _, params := range []int{chunkSize/8 - 17, chunkSize / 4, chunkSize + 3} {
		f := Format{Params: params}
		for name, e := range estimates(params) {
			want, err := f.Append(nil, Frame{Message: e})
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			largest := 0
			_, err = NewWriter(writeFunc(func(b []byte) (int, error) {
				largest = max(largest, len(b))
				return got.Write(b)
			}), f).Write(Frame{Message: e})
			if err != nil || !bytes.Equal(got.Bytes(), want) || largest > chunkSize {
				t.Errorf("%s of %d: writes of up to %d bytes, error %v, or other bytes", name, params, largest, err)
			}
			decoded, err := f.Decode(want)
			if err != nil || !reflect.DeepEqual(decoded, Packet(Frame{Message: e})) {
				t.Errorf("%s of %d: error %v or other values", name, params, err)
			}
		}
	}
}

// TestClaimsOfAnEstimateAllocateNothing sends the fields of an estimate with the largest frame and an
// extra vector, and the start of the frame: the reader holds what arrived, not what was claimed.
func TestClaimsOfAnEstimateAllocateNothing(t *testing.T) {
	f := Format{Params: 1 << 24}
	e := consensus.Estimate{Frame: []byte{1}, Extra: make([]float32, f.Params)}
	encoded, err := f.appendHead(nil, Frame{Message: e})
	if err != nil {
		t.Fatal(err)
	}
	const lengths = headerSize + estimateMeta - 16
	binary.LittleEndian.PutUint64(encoded[lengths:], f.maxFrame())
	binary.LittleEndian.PutUint64(encoded[8:], f.maxEstimate())
	encoded = append(encoded, make([]byte, 3*chunkSize)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = f.Decode(encoded)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16*chunkSize {
		t.Errorf("a claim of %d bytes, of which %d came, allocated %d", f.maxEstimate(), 3*chunkSize, grown)
	}
}

// TestBadPayloadsAreAnswered refuses estimates of all shapes for what only the payload or the lengths
// show, and reads the next packet.
func TestBadPayloadsAreAnswered(t *testing.T) {
	const params = chunkSize // more than a chunk
	f := Format{Params: params}
	for name, e := range estimates(params) {
		encoded, err := f.Append(nil, Frame{Message: e})
		if err != nil {
			t.Fatal(err)
		}
		unchecked := encoded[:len(encoded)-checksumSize]
		for what, change := range map[string]func([]byte){
			"NaN at the end": func(b []byte) { binary.LittleEndian.PutUint32(b[len(b)-4:], infinity) },
			"work":           func(b []byte) { b[headerSize+92] = 0xff },
			"lengths":        func(b []byte) { b[headerSize+118]++ },
		} {
			if name == "frame" && what == "NaN at the end" {
				continue // a frame is checked by the core, which decodes it
			}
			bad := bytes.Clone(unchecked)
			change(bad)
			checkAnswered(t, f, name+", "+what, bad)
		}
	}
}

// checkAnswered reads a packet without its checksum that must be refused, and a ping behind it.
func checkAnswered(t *testing.T, f Format, name string, bad []byte) {
	t.Helper()
	stream, err := f.Append(seal(bad), Ping{Nonce: 5})
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(bytes.NewReader(stream), f)
	var refused *Error
	if _, _, err := r.Next(); !errors.As(err, &refused) || refused.Lost || refused.Seq != 9 {
		t.Errorf("%s: error %+v", name, err)
	}
	if got, _, err := r.Next(); err != nil || got != Packet(Ping{Nonce: 5}) {
		t.Errorf("%s: the next packet is %v, %v", name, got, err)
	}
}

// TestShapes checks the bounds of both lengths, at their edges.
func TestShapes(t *testing.T) {
	f := Format{Params: 3}
	for _, test := range []struct {
		shape  shape
		reason Reason // empty: allowed
	}{
		{shape{codecDense, 12, 0}, ""},
		{shape{codecDense, 12, 12}, ""},
		{shape{codecDense, 0, 0}, Size},
		{shape{codecDense, 11, 0}, Size},
		{shape{codecDense, 16, 12}, Size},
		{shape{codecFrame, 1, 0}, ""},
		{shape{codecFrame, 24 + 1024, 12}, ""},
		{shape{codecFrame, 24 + 1025, 0}, Size},
		{shape{codecFrame, 0, 12}, Size},
		{shape{codecFrame, 1 << 63, 0}, Size},
		{shape{codecFrame, 12, 4}, Size},
		{shape{codecDense, 12, 1 << 63}, Size},
		{shape{2, 12, 0}, Schema},
		{shape{255, 12, 12}, Schema},
	} {
		got := Reason("")
		if refusal := test.shape.check(f); refusal != nil {
			got = refusal.Reason
		}
		if got != test.reason {
			t.Errorf("%+v is refused as %q, want %q", test.shape, got, test.reason)
		}
	}
	if refusal := (shape{codecFrame, 1024, 0}).check(Format{Params: -1}); refusal != nil {
		t.Errorf("a frame within the head of a model without parameters: %v", refusal)
	}
}
