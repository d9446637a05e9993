package settings

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/starling-ml/starling/consensus"
)

// Duration is a length of time, written as 40ms, 1.5s or 1m30s. It is never negative.
type Duration time.Duration

// UnmarshalText reads a duration; a number without a unit is refused, except for 0.
func (d *Duration) UnmarshalText(text []byte) error {
	word := string(text)
	parsed, err := time.ParseDuration(word)
	if _, bare := strconv.ParseFloat(word, 64); bare == nil && err != nil {
		return fmt.Errorf("%s %w; write %sms or %ss", word, errUnit, word, word)
	}
	if err != nil {
		return fmt.Errorf("%q %w; write it as in 40ms, 1.5s or 1m30s", word, errForm)
	}
	if parsed < 0 {
		return fmt.Errorf("%s is negative; write 0s or more", word)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String is the duration as people write it: 1m, not 1m0s.
func (d Duration) String() string {
	text := time.Duration(d).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Std is the duration for the standard library.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Core is the duration for the core.
func (d Duration) Core() consensus.Duration { return consensus.Duration(d) }

// Form is the pattern of the text and an example.
func (Duration) Form() (pattern, example string) {
	return `^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$`, "40ms"
}
