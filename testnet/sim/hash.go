package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// Hash returns a fingerprint of the estimates of all running peers, in the order of vertices: two runs
// that agree on it agree to the bit.
func (n *Network) Hash() string {
	var estimates [][]float32
	for _, m := range n.Live() {
		estimates = append(estimates, m.Params())
	}
	return Hash(estimates)
}

// Hash returns a fingerprint of estimates and their order.
func Hash(estimates [][]float32) string {
	sum := sha256.New()
	var word [4]byte
	for _, estimate := range estimates {
		for _, x := range estimate {
			binary.LittleEndian.PutUint32(word[:], math.Float32bits(x))
			sum.Write(word[:])
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
