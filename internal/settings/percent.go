package settings

import (
	"errors"
	"fmt"
	"strconv"
)

var percents = []unit{{"%", 1}}

// Percent is a share, written as 10% and held as 0.1.
type Percent float64

// UnmarshalText reads a share.
func (p *Percent) UnmarshalText(text []byte) error {
	x, err := quantity(string(text), percents)
	if errors.Is(err, errUnit) && x <= 1 {
		return fmt.Errorf("%s %w; write %s", text, errUnit, Percent(x))
	}
	if err == nil {
		*p = Percent(x / 100)
	}
	return err
}

// MarshalText writes what UnmarshalText reads.
func (p Percent) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// String is the share as it is written.
func (p Percent) String() string { return strconv.FormatFloat(100*float64(p), 'g', 12, 64) + "%" }

// Form is the pattern of the text and an example.
func (Percent) Form() (pattern, example string) { return `^(0|[0-9]+(\.[0-9]+)?%)$`, "10%" }
