package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

// FuzzReader feeds a stream of hostile bytes: whatever decodes must encode to the same bytes again, so
// that there is one encoding of every packet, and everything else is a refusal or the end.
func FuzzReader(f *testing.F) {
	format := testFormat()
	var all []byte
	for _, packet := range testPackets() {
		encoded, err := format.Append(nil, packet)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded)
		all = append(all, encoded...)
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := NewReader(bytes.NewReader(stream), format)
		at := 0
		for {
			packet, n, err := r.Next()
			var refused *Error
			switch {
			case errors.As(err, &refused):
				if reasonNumber(refused.Reason) == 0 || refused.Detail == "" {
					t.Fatalf("refused without a reason: %+v", refused)
				}
				if refused.Lost {
					return
				}
			case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
				return
			case err != nil:
				t.Fatal(err)
			default:
				checkCanonical(t, format, packet, stream[at:at+n])
			}
			at += n
		}
	})
}

func checkCanonical(t *testing.T, format Format, packet Packet, encoded []byte) {
	t.Helper()
	if hello, ok := packet.(Hello); ok && hello.Version != Version {
		return // of another version only the first fields were read
	}
	if _, ok := packet.(Refuse); ok && encoded[4] != Version {
		return
	}
	again, err := format.Append(nil, packet)
	if err != nil || !bytes.Equal(again, encoded) {
		t.Fatalf("%+v was decoded from\n%x and encodes to\n%x, error %v", packet, encoded, again, err)
	}
}

// FuzzBody skips the checksum, behind which random bytes seldom get.
func FuzzBody(f *testing.F) {
	format := testFormat()
	for _, packet := range testPackets() {
		encoded, err := format.Append(nil, packet)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(packet.kind()), encoded[headerSize:len(encoded)-checksumSize])
	}
	f.Fuzz(func(t *testing.T, k byte, body []byte) {
		encoded := append([]byte("STRL"), Version, k, 0, 0)
		encoded = binary.LittleEndian.AppendUint64(encoded, uint64(len(body)))
		encoded = seal(append(encoded, body...))
		if packet, err := format.Decode(encoded); err == nil {
			checkCanonical(t, format, packet, encoded)
		}
	})
}
