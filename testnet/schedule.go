package testnet

import (
	"time"
)

// Action is one disturbance of one peer at one time, as a runtime carries it out.
type Action struct {
	At     time.Duration // since the start of the run
	Do     Deed
	Peer   int
	Factor float64 // slow: how many times slower than its own pace; 1 ends it
	Fresh  bool    // restart: forget the checkpoint
	Line   int     // of the manifest
}

// Deed is what an action does to a peer.
type Deed string

// Deeds. Every runtime can pause, resume, kill and restart; Slow needs a runtime that controls the pace
// of its peers.
const (
	Slow    Deed = "slow"
	Pause   Deed = "pause"
	Resume  Deed = "resume"
	Kill    Deed = "kill"
	Restart Deed = "restart"
)
