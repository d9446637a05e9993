package settings

var rates = []unit{
	{"Mbit", 1e6 / 8},
	{"bit", 1.0 / 8},
	{"kbit", 1e3 / 8},
	{"Gbit", 1e9 / 8},
	{"B/s", 1},
	{"kB/s", 1e3},
	{"KB/s", 1e3},
	{"MB/s", 1e6},
	{"GB/s", 1e9},
	{"bit/s", 1.0 / 8},
	{"kbit/s", 1e3 / 8},
	{"Mbit/s", 1e6 / 8},
	{"Gbit/s", 1e9 / 8},
}

// Rate is a speed of transfer in bytes per second, written as 50Mbit or 50MB/s; 0 is no limit.
type Rate float64

// UnmarshalText reads a rate.
func (r *Rate) UnmarshalText(text []byte) error {
	x, err := quantity(string(text), rates)
	if err == nil {
		*r = Rate(x)
	}
	return err
}

// MarshalText writes what UnmarshalText reads.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// String is the rate as it is written.
func (r Rate) String() string {
	if r == 0 {
		return "0"
	}
	return shortest(float64(r), []unit{{"bit", 1.0 / 8}, {"kbit", 1e3 / 8}, {"Mbit", 1e6 / 8}, {"Gbit", 1e9 / 8}})
}

// Form is the pattern of the text and an example.
func (Rate) Form() (pattern, example string) {
	return `^(0|[0-9]+(\.[0-9]+)?([kMG]?bit(/s)?|[kKMG]?B/s))$`, "50Mbit"
}
