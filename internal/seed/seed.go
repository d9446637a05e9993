// Package seed derives independent random streams from one root seed by name, so that a run has a
// single seed, adding a stream never shifts another one, and nothing reads global randomness.
package seed

import "math/rand/v2"

// Stream returns the random stream that the path names under root. Equal arguments give equal
// streams on every machine; different paths give independent ones.
func Stream(root uint64, path ...string) *rand.Rand {
	return rand.New(rand.NewPCG(Derive(root, path...), 0x9e3779b97f4a7c15))
}

// Derive returns a sub-seed for the path under root: FNV-1a over the path, finished by SplitMix64.
func Derive(root uint64, path ...string) uint64 {
	h := uint64(14695981039346656037) ^ mix(root)
	for _, name := range path {
		for i := range len(name) {
			h = (h ^ uint64(name[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211 // ends a name: ("ab","c") differs from ("a","bc")
	}
	return mix(h)
}

// mix is the finaliser of SplitMix64: every input bit reaches every output bit.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}
