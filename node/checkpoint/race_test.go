//go:build race

package checkpoint

// A binary with the race detector takes long to start.
func init() { kills = 10 }
