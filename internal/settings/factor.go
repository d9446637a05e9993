package settings

var factors = []unit{{"x", 1}}

// Factor multiplies something that its key names; it is written as 10x.
type Factor float64

// UnmarshalText reads a factor; a bare number is refused, so that nobody takes it for a time.
func (f *Factor) UnmarshalText(text []byte) error {
	x, err := quantity(string(text), factors)
	if err == nil {
		*f = Factor(x)
	}
	return err
}

// MarshalText writes what UnmarshalText reads.
func (f Factor) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// String is the factor as it is written.
func (f Factor) String() string { return decimal(float64(f)) + "x" }

// Form is the pattern of the text and an example.
func (Factor) Form() (pattern, example string) { return `^(0|[0-9]+(\.[0-9]+)?x)$`, "10x" }
