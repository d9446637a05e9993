package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// Hash returns a fingerprint of the final estimates of all running peers, in the order of vertices:
// two runs that agree on it agree to the bit.
func (n *Network) Hash() string {
	sum := sha256.New()
	var word [4]byte
	for _, m := range n.Live() {
		for _, x := range m.Params() {
			binary.LittleEndian.PutUint32(word[:], math.Float32bits(x))
			sum.Write(word[:])
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
