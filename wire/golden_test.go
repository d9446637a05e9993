package wire

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden vectors in testdata; read the diff")

// TestGolden pins the bytes of every kind: a change here is a change of the protocol.
func TestGolden(t *testing.T) {
	f := testFormat()
	for name, packet := range testPackets() {
		t.Run(name, func(t *testing.T) {
			encoded, err := f.Append(nil, packet)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".hex")
			if *rewrite {
				if err := os.WriteFile(path, []byte(dump(encoded)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			golden, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := dump(encoded); got != string(golden) {
				t.Errorf("encoded\n%swant\n%s", got, golden)
			}
			decoded, err := f.Decode(undump(t, string(golden)))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(decoded, packet) {
				t.Errorf("decoded %+v, want %+v", decoded, packet)
			}
		})
	}
}

// TestGoldenIsComplete fails when a kind has no golden vector.
func TestGoldenIsComplete(t *testing.T) {
	seen := map[kind]bool{}
	for _, packet := range testPackets() {
		seen[packet.kind()] = true
	}
	f := testFormat()
	for k := range kind(255) {
		if exists := f.limit(k) > 0; exists != seen[k] {
			t.Errorf("kind %d exists: %v, has a golden vector: %v", k, exists, seen[k])
		}
	}
}

// dump writes 16 bytes a line, so that a diff of a golden file shows the field that changed.
func dump(b []byte) string {
	var lines strings.Builder
	for len(b) > 0 {
		n := min(16, len(b))
		lines.WriteString(hex.EncodeToString(b[:n]) + "\n")
		b = b[n:]
	}
	return lines.String()
}

func undump(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, "\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestWriterAgreesWithAppend checks the chunked writer against the plain encoder, around the edges of
// chunks.
func TestWriterAgreesWithAppend(t *testing.T) {
	for _, params := range []int{
		1, 100, chunkSize/4 - 40, chunkSize/4 - 28, chunkSize/4 - 27, chunkSize/4 - 26,
		chunkSize/4 - 25, chunkSize / 4, chunkSize/4 + 1, chunkSize, chunkSize + 3,
	} {
		f := Format{Params: params}
		packet := Frame{Message: ramp(params)}
		want, err := f.Append(nil, packet)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		largest := 0
		n, err := NewWriter(writeFunc(func(b []byte) (int, error) {
			largest = max(largest, len(b))
			return got.Write(b)
		}), f).Write(packet)
		if err != nil || n != len(want) || !bytes.Equal(got.Bytes(), want) || n != f.EstimateSize() {
			t.Errorf("%d parameters: wrote %d bytes, error %v, want %d", params, n, err, len(want))
		}
		if largest > chunkSize+checksumSize {
			t.Errorf("%d parameters: a write of %d bytes", params, largest)
		}
	}
}

type writeFunc func([]byte) (int, error)

func (f writeFunc) Write(b []byte) (int, error) { return f(b) }
