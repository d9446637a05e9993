package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/starling-ml/starling/consensus"
)

func ramp(n int) consensus.Estimate {
	params := make([]float32, n)
	for i := range params {
		params[i] = float32(i) - 0.5
	}
	return consensus.Estimate{Seq: 9, Params: params}
}

// TestReaderReadsAStream reads packets of all kinds from one stream, in pieces of one byte.
func TestReaderReadsAStream(t *testing.T) {
	f := testFormat()
	var stream bytes.Buffer
	var sent []Packet
	w := NewWriter(&stream, f)
	for _, packet := range testPackets() {
		if _, err := w.Write(packet); err != nil {
			t.Fatal(err)
		}
		sent = append(sent, packet)
	}
	total := stream.Len()
	r := NewReader(iotest.OneByteReader(&stream), f)
	for _, want := range sent {
		got, n, err := r.Next()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("read %+v, %v, want %+v", got, err, want)
		}
		total -= n
	}
	if _, _, err := r.Next(); err != io.EOF || total != 0 {
		t.Errorf("at the end: error %v, %d bytes not accounted for", err, total)
	}
}

func TestReaderReadsLargeEstimates(t *testing.T) {
	for _, params := range []int{chunkSize/4 - 1, chunkSize / 4, chunkSize/4 + 1, 3*chunkSize/4 + 7} {
		f := Format{Params: params}
		encoded, err := f.Append(nil, Frame{Message: ramp(params)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Decode(encoded)
		if err != nil || !reflect.DeepEqual(got, Packet(Frame{Message: ramp(params)})) {
			t.Errorf("%d parameters: error %v or other values", params, err)
		}
	}
}

// TestEveryTruncationFails cuts every packet everywhere.
func TestEveryTruncationFails(t *testing.T) {
	f := testFormat()
	for name, packet := range testPackets() {
		encoded, err := f.Append(nil, packet)
		if err != nil {
			t.Fatal(err)
		}
		for n := range encoded {
			_, err := f.Decode(encoded[:n])
			want := io.ErrUnexpectedEOF
			if n == 0 {
				want = io.EOF
			}
			if !errors.Is(err, want) {
				t.Errorf("%s cut to %d bytes: error %v, want %v", name, n, err, want)
			}
		}
	}
}

// TestEveryBitFlipIsFound damages every bit of every packet.
func TestEveryBitFlipIsFound(t *testing.T) {
	f := testFormat()
	for name, packet := range testPackets() {
		encoded, err := f.Append(nil, packet)
		if err != nil {
			t.Fatal(err)
		}
		for bit := range 8 * len(encoded) {
			damaged := bytes.Clone(encoded)
			damaged[bit/8] ^= 1 << (bit % 8)
			if got, err := f.Decode(damaged); err == nil {
				t.Errorf("%s with bit %d flipped decodes to %+v", name, bit, got)
			}
		}
	}
}

// damage is an encoded packet that was changed and given a right checksum again.
func damage(t *testing.T, f Format, packet Packet, change func([]byte) []byte) []byte {
	t.Helper()
	encoded, err := f.Append(nil, packet)
	if err != nil {
		t.Fatal(err)
	}
	return seal(change(encoded[:len(encoded)-checksumSize]))
}

// seal appends the checksum.
func seal(packet []byte) []byte {
	return binary.LittleEndian.AppendUint32(packet, crc32.Checksum(packet, castagnoli))
}

func setByte(at int, value byte) func([]byte) []byte {
	return func(b []byte) []byte { b[at] = value; return b }
}

func setLength(length uint64) func([]byte) []byte {
	return func(b []byte) []byte { binary.LittleEndian.PutUint64(b[8:], length); return b }
}

func TestReaderRefuses(t *testing.T) {
	f := testFormat()
	packets := testPackets()
	const body = headerSize
	otherRun, otherModel := f, f
	otherRun.Run[0]++
	otherModel.Signature[0]++
	encode := func(f Format, p Packet) []byte { return damage(t, f, p, func(b []byte) []byte { return b }) }
	grow := func(b []byte) []byte {
		b = append(b, 0)
		return setLength(uint64(len(b) - headerSize))(b)
	}
	infiniteLoss := func(b []byte) []byte {
		binary.LittleEndian.PutUint32(b[body+85:], math.Float32bits(float32(math.Inf(1))))
		return b
	}
	nanPayload := func(b []byte) []byte {
		binary.LittleEndian.PutUint32(b[len(b)-4:], math.Float32bits(float32(math.Inf(-1))))
		return b
	}
	negativeEnd := func(b []byte) []byte { return setByte(len(b)-1, 0x80)(b) }
	nanWeight := func(b []byte) []byte {
		binary.LittleEndian.PutUint64(b[body+109:], math.Float64bits(math.NaN()))
		return b
	}
	for name, test := range map[string]struct {
		bytes  []byte
		reason Reason
		lost   bool
		detail string
	}{
		"magic":          {damage(t, f, packets["ping"], setByte(0, 'X')), Schema, true, `"XTRL"`},
		"version":        {damage(t, f, packets["ping"], setByte(4, 9)), Schema, true, "version 9"},
		"kind":           {damage(t, f, packets["ping"], setByte(5, 99)), Schema, true, "kind 99"},
		"reserved":       {damage(t, f, packets["ping"], setByte(7, 1)), Schema, true, "0 and 1"},
		"control length": {damage(t, f, packets["ping"], setLength(MaxControl+1)), Size, true, "at most 8192"},
		"huge length":    {damage(t, f, packets["estimate"], setLength(1<<62)), Size, true, "at most"},
		"short estimate": {damage(t, f, packets["estimate"], setLength(estimateMeta-1)), Size, true, "fields alone"},
		"trailing bytes": {damage(t, f, packets["ping"], grow), Size, false, "follow the last field"},
		"short body":     {damage(t, f, packets["ack"], setByte(5, byte(kindIntent))), Size, false, "middle of a field"},
		"run":            {encode(otherRun, packets["intent"]), Token, false, "frame of run"},
		"run, estimate":  {encode(otherRun, packets["estimate"]), Token, false, "frame of run"},
		"model":          {encode(otherModel, packets["estimate"]), Schema, false, "frame of model"},
		"payload":        {damage(t, f, packets["estimate"], nanPayload), NaN, false, "not finite"},
		"loss":           {damage(t, f, packets["estimate"], infiniteLoss), NaN, false, "not finite"},
		"work":           {damage(t, f, packets["estimate"], setByte(body+92, 0x7f)), Schema, false, "work"},
		"weight sign":    {damage(t, f, packets["estimate-extra"], setByte(body+116, 0xbf)), Schema, false, "weight is -"},
		"weight NaN":     {damage(t, f, packets["estimate-extra"], nanWeight), NaN, false, "weight is NaN"},
		"codec":          {damage(t, f, packets["estimate"], setByte(body+117, 7)), Schema, false, "codec 7"},
		"payload length": {damage(t, f, packets["estimate"], setByte(body+118, 8)), Size, false, "payload of 8 bytes"},
		"payload short":  {damage(t, f, packets["estimate"], grow), Size, false, "13 follow"},
		"no frame":       {damage(t, f, packets["estimate-frame"], setByte(body+118, 0)), Size, false, "frame of 0"},
		"frame length":   {damage(t, f, packets["estimate-frame"], setByte(body+118, 6)), Size, false, "17 follow"},
		"frame huge":     {damage(t, f, packets["estimate-frame"], setByte(body+125, 1)), Size, false, "1 to 1048"},
		"extra length":   {damage(t, f, packets["estimate-extra"], setByte(body+126, 8)), Size, false, "extra of 8 bytes"},
		"extra left out": {damage(t, f, packets["estimate-extra"], setByte(body+126, 0)), Size, false, "24 follow"},
		"extra of frame": {damage(t, f, packets["estimate-frame"], nanPayload), NaN, false, "extra vector"},
		"speed":          {damage(t, f, packets["speed"], negativeEnd), Schema, false, "step time"},
		"age":            {damage(t, f, packets["estimate"], setByte(body+39, 0x80)), Schema, false, "age of"},
		"flag":           {damage(t, f, packets["estimate"], setByte(body+40, 2)), Schema, false, "flag is 2"},
		"degree":         {damage(t, f, packets["degree"], setByte(body+60, 0xff)), Schema, false, "degree"},
		"reason":         {damage(t, f, packets["nack"], setByte(body+8, 7)), Schema, false, "reason 7"},
		"text":           {damage(t, f, packets["bye"], setByte(body+2, 7)), Schema, false, "cannot be printed"},
		"text length":    {damage(t, f, packets["bye"], setByte(body+1, 3)), Size, false, "512 are allowed"},
		"count":          {damage(t, f, packets["announce"], setByte(body+26, 3)), Size, false, "addresses"},
		"checksum":       {append(encode(f, packets["ping"])[:24], 0, 0, 0, 0), Checksum, true, "checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.Decode(test.bytes)
			var refused *Error
			if !errors.As(err, &refused) {
				t.Fatalf("error is %v", err)
			}
			if refused.Reason != test.reason || refused.Lost != test.lost || !strings.Contains(err.Error(), test.detail) {
				t.Errorf("refused as %+v, want reason %s, lost %v, %q", refused, test.reason, test.lost, test.detail)
			}
		})
	}
}

// TestReaderGoesOn checks that a refused packet does not take the next one with it, and that a refused
// estimate can be answered.
func TestReaderGoesOn(t *testing.T) {
	f := testFormat()
	other := f
	other.Run[3]++
	bad, err := other.Append(nil, testPackets()["estimate"])
	if err != nil {
		t.Fatal(err)
	}
	both, err := f.Append(bad, Ping{Nonce: 5})
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(bytes.NewReader(both), f)
	var refused *Error
	if _, n, err := r.Next(); !errors.As(err, &refused) || refused.Lost || refused.Seq != 3 || n != len(bad) {
		t.Fatalf("first packet: %d bytes, error %+v", n, err)
	}
	if got, _, err := r.Next(); err != nil || got != Packet(Ping{Nonce: 5}) {
		t.Errorf("second packet: %v, %v", got, err)
	}
}

// TestClaimsAllocateNothing sends headers that claim the largest lengths and nothing behind them.
func TestClaimsAllocateNothing(t *testing.T) {
	f := Format{Params: 1 << 28}
	for _, k := range []kind{kindHello, kindEstimate} {
		header := append([]byte("STRL"), Version, byte(k), 0, 0)
		header = binary.LittleEndian.AppendUint64(header, f.limit(k))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := f.Decode(header)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("kind %d: error %v", k, err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 4*chunkSize {
			t.Errorf("kind %d: a claim of %d bytes allocated %d", k, f.limit(k), grown)
		}
	}
}

func TestEncoderRefuses(t *testing.T) {
	f := testFormat()
	for name, packet := range brokenPackets() {
		encoded, err := f.Append([]byte("kept"), packet)
		var refused *Error
		if !errors.As(err, &refused) || string(encoded) != "kept" {
			t.Errorf("%s: encoded to %d bytes, error %v", name, len(encoded), err)
		}
		n, err := NewWriter(writeFunc(func([]byte) (int, error) {
			t.Errorf("%s: something was written", name)
			return 0, nil
		}), f).Write(packet)
		if err == nil || n != 0 {
			t.Errorf("%s: wrote %d bytes, error %v", name, n, err)
		}
	}
}

func TestStreamErrorsPassThrough(t *testing.T) {
	broken := errors.New("cable cut")
	f := Format{Params: chunkSize}
	encoded, err := f.Append(nil, Frame{Message: ramp(chunkSize)})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 3, headerSize, headerSize + 5, len(encoded) / 2, len(encoded) - 2} {
		in := io.MultiReader(bytes.NewReader(encoded[:n]), iotest.ErrReader(broken))
		if _, _, err := NewReader(in, f).Next(); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: error %v", n, err)
		}
		left := n
		out := writeFunc(func(b []byte) (int, error) {
			if left -= len(b); left < 0 {
				return 0, broken
			}
			return len(b), nil
		})
		if _, err := NewWriter(out, f).Write(Frame{Message: ramp(chunkSize)}); !errors.Is(err, broken) {
			t.Errorf("writing after %d bytes: error %v", n, err)
		}
	}
}

func TestSummaryIsSmall(t *testing.T) {
	s := Summary{Name: strings.Repeat("n", MaxName/2), Ages: make([]Age, MaxAges)}
	encoded, err := testFormat().Append(nil, s)
	if err != nil || len(encoded) > MaxSummary {
		t.Errorf("%d bytes, error %v", len(encoded), err)
	}
}

// TestHelloOfAnotherVersion checks that a hello with fields that this version does not know still
// tells who speaks which version.
func TestHelloOfAnotherVersion(t *testing.T) {
	f := testFormat()
	future := damage(t, f, Hello{Version: 200, Software: "9.9", Name: "tomorrow"}, func(b []byte) []byte {
		b = append(b, "something new"...)
		return setLength(uint64(len(b) - headerSize))(b)
	})
	got, err := f.Decode(future)
	want := Hello{Version: 200, Software: "9.9", Name: "tomorrow"}
	if err != nil || !reflect.DeepEqual(got, Packet(want)) {
		t.Errorf("decoded %+v, error %v", got, err)
	}
}
