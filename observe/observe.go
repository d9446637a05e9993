// Package observe is what people look at: the event log, Prometheus metrics, the state that status
// commands print, and the small HTTP server in front of them.
//
// Everything goes through bodies. A driver turns what its machine does into bodies (FromEffect), and a
// Meter hands each body to the window, the metrics and the event log. The libp2p node uses it with the
// wall clock, the simulator with the virtual one.
package observe

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/starling-ml/starling/consensus"
)

// Level says how much of a peer's life an event log keeps.
type Level uint8

// Levels, from little to much. Always keeps what is rare; Windows adds one line a second (about 400
// bytes); Steps adds every block, publish and mix.
const (
	Always Level = iota
	Windows
	Steps
)

// ParseLevel reads always, window or step; empty is window.
func ParseLevel(name string) (Level, error) {
	switch name {
	case "always":
		return Always, nil
	case "window", "":
		return Windows, nil
	case "step":
		return Steps, nil
	}
	return 0, fmt.Errorf("event level %q is not one of always, window, step", name)
}

// Body is the part of an event that its kind defines; see bodies.go. Bodies marshal to one JSON object.
type Body interface {
	// kind is the "ev" of the line.
	kind() string
	// level is the least level at which the body is logged.
	level() Level
}

// Number is a float that marshals to null when it is not finite: JSON has no NaN.
type Number float64

// MarshalJSON writes the shortest decimal, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads null as a number that is none.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}

// Seconds turns a duration of the core into the unit of the log.
func Seconds(d consensus.Duration) Number { return Number(float64(d) / float64(consensus.Second)) }
