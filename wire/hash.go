package wire

import (
	"crypto/sha256"
	"encoding/hex"
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
	var scratch []byte
	for len(params) > 0 {
		n := min(len(params), chunkSize/4)
		h.Write(encodeFloats(scratch, params[:n]))
		params = params[n:]
	}
	return shorten([32]byte(h.Sum(nil)))
}

func shorten(sum [32]byte) Hash { return Hash(sum[:16]) }
