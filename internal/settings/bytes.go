package settings

import (
	"fmt"
	"math"
)

var sizes = []unit{
	{"MB", 1e6},
	{"B", 1},
	{"kB", 1e3},
	{"KB", 1e3},
	{"GB", 1e9},
	{"TB", 1e12},
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
}

// Bytes is an amount of memory or storage, written as 256MB or 64KiB.
type Bytes int64

// UnmarshalText reads an amount.
func (b *Bytes) UnmarshalText(text []byte) error {
	x, err := quantity(string(text), sizes)
	if err == nil && x >= math.MaxInt64 {
		err = fmt.Errorf("%s is too large", text)
	}
	if err == nil {
		*b = Bytes(math.Round(x))
	}
	return err
}

// MarshalText writes what UnmarshalText reads.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String is the amount as it is written.
func (b Bytes) String() string {
	if b > 0 && b%1024 == 0 && b%1000 != 0 {
		return shortest(float64(b), []unit{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}})
	}
	return shortest(float64(b), []unit{{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}})
}

// Form is the pattern of the text and an example.
func (Bytes) Form() (pattern, example string) {
	return `^(0|[0-9]+(\.[0-9]+)?(B|[kKMGT]B|[KMG]iB))$`, "256MB"
}
