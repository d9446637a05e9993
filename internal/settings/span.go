package settings

import (
	"errors"
	"fmt"
	"strings"
)

// Span is a time that is given by itself (40ms) or as a multiple of another that its key names (10x,
// 15%). At most one of the two parts is set.
type Span struct {
	Factor   float64
	Duration Duration
}

// UnmarshalText reads a span.
func (s *Span) UnmarshalText(text []byte) error {
	word := string(text)
	var parsed Span
	var err error
	switch {
	case strings.HasSuffix(word, "x"):
		err = (*Factor)(&parsed.Factor).UnmarshalText(text)
	case strings.HasSuffix(word, "%"):
		err = (*Percent)(&parsed.Factor).UnmarshalText(text)
	default:
		err = parsed.Duration.UnmarshalText(text)
	}
	if errors.Is(err, errUnit) {
		return fmt.Errorf("%s %w; write %sms, %sx or %s%%", word, errUnit, word, word, word)
	}
	if errors.Is(err, errForm) {
		return fmt.Errorf("%q %w; write it as in 40ms, 10x or 15%%", word, errForm)
	}
	if err == nil {
		*s = parsed
	}
	return err
}

// MarshalText writes what UnmarshalText reads.
func (s Span) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String is the span as it is written; factors below 1 are shares.
func (s Span) String() string {
	switch {
	case s.Factor >= 1:
		return Factor(s.Factor).String()
	case s.Factor > 0:
		return Percent(s.Factor).String()
	default:
		return s.Duration.String()
	}
}

// IsZero tells whether nothing was given.
func (s Span) IsZero() bool { return s == Span{} }

// Form is the pattern of the text and an example.
func (Span) Form() (pattern, example string) {
	return `^(0|[0-9]+(\.[0-9]+)?[x%]|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$`, "10x"
}
