package settings

import "strconv"

var factors = []unit{{"x", 1}}

// Factor multiplies something that its key names; it is written as 10x.
type Factor float64

// UnmarshalText reads a factor; a bare number is refused, so that nobody takes it for a time.
func (f *Factor) UnmarshalText(text []byte) error {
	x, err := quantity(string(text), factors)
	*f = Factor(x)
	return err
}

// MarshalText writes what UnmarshalText reads.
func (f Factor) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// String is the factor as it is written.
func (f Factor) String() string { return decimal(float64(f)) + "x" }

// Form is the pattern of the text and an example.
func (Factor) Form() (pattern, example string) { return `^(0|[0-9]+(\.[0-9]+)?x)$`, "10x" }

var percents = []unit{{"%", 1}}

// Percent is a share, written as 10% and held as 0.1.
type Percent float64

// UnmarshalText reads a share.
func (p *Percent) UnmarshalText(text []byte) error {
	x, err := quantity(string(text), percents)
	*p = Percent(x / 100)
	return err
}

// MarshalText writes what UnmarshalText reads.
func (p Percent) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// String is the share as it is written.
func (p Percent) String() string { return strconv.FormatFloat(100*float64(p), 'g', 12, 64) + "%" }

// Form is the pattern of the text and an example.
func (Percent) Form() (pattern, example string) { return `^(0|[0-9]+(\.[0-9]+)?%)$`, "10%" }
