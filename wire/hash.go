package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// Hash is the first half of a SHA-256: it names runs, models and parameter vectors.
type Hash [16]byte

// String returns the whole hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Short returns the form that people compare by eye, such as 9c1f…aa07.
func (h Hash) Short() string {
	s := h.String()
	return s[:4] + "…" + s[len(s)-4:]
}

// RunHash names a run on the wire. Peers exchange estimates only within one run.
func RunHash(name string) Hash {
	return shorten(sha256.Sum256([]byte("starling run\x00" + name)))
}

// ParamsHash is the hash of a parameter vector's bits, for comparing initial parameters.
func ParamsHash(params []float32) Hash {
	h := sha256.New()
	buffer := make([]byte, 0, chunkSize)
	for len(params) > 0 {
		n := min(len(params), chunkSize/4)
		buffer = appendFloats(buffer[:0], params[:n])
		h.Write(buffer)
		params = params[n:]
	}
	return shorten([32]byte(h.Sum(nil)))
}

func shorten(sum [32]byte) Hash { return Hash(sum[:16]) }

func appendFloats(dst []byte, values []float32) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, 4*len(values))...)
	for i, v := range values {
		binary.LittleEndian.PutUint32(dst[at+4*i:], math.Float32bits(v))
	}
	return dst
}
