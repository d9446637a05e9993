package settings

import (
	"fmt"
	"strconv"
)

var times = []unit{{"x", 1}}

// Factor multiplies something that its key names; it is written as 10x.
type Factor float64

// UnmarshalText reads a factor; a bare number is refused, so that nobody takes it for a time.
func (f *Factor) UnmarshalText(text []byte) error {
	x, err := quantity(string(text), times)
	*f = Factor(x)
	return err
}

// MarshalText writes what UnmarshalText reads.
func (f Factor) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// String is the factor as it is written.
func (f Factor) String() string { return decimal(float64(f)) + "x" }

// Form is the pattern of the text and an example.
func (Factor) Form() (pattern, example string) { return `^(0|[0-9]+(\.[0-9]+)?x)$`, "10x" }

var hundredth = []unit{{"%", 0.01}}

// Percent is a share, written as 10% and held as 0.1.
type Percent float64

// UnmarshalText reads a share.
func (p *Percent) UnmarshalText(text []byte) error {
	_, err := quantity(string(text), hundredth)
	if err != nil {
		return err
	}
	*p, err = percent(string(text))
	return err
}

// percent divides by 100 instead of multiplying by 0.01, which keeps 15% at 0.15.
func percent(text string) (Percent, error) {
	if text == "0" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(text[:len(text)-1], 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a share; write it as in 10%%", text)
	}
	return Percent(x / 100), nil
}

// MarshalText writes what UnmarshalText reads.
func (p Percent) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// String is the share as it is written.
func (p Percent) String() string { return strconv.FormatFloat(100*float64(p), 'g', 12, 64) + "%" }

// Form is the pattern of the text and an example.
func (Percent) Form() (pattern, example string) { return `^(0|[0-9]+(\.[0-9]+)?%)$`, "10%" }
