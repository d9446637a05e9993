package settings_test

import (
	"encoding"
	"math"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/settings"
)

// form is what every type with a form of its own can do.
type form interface {
	encoding.TextMarshaler
	Form() (pattern, example string)
}

func TestUnitsByExample(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want form
		back string // "" is text
	}{
		{"40ms", settings.Duration(40e6), ""},
		{"1.5s", settings.Duration(1.5e9), ""},
		{"90s", settings.Duration(90e9), "1m30s"},
		{"60s", settings.Duration(60e9), "1m"},
		{"1h", settings.Duration(3600e9), ""},
		{"1h0m5s", settings.Duration(3605e9), ""},
		{"0", settings.Duration(0), "0s"},
		{"10x", settings.Factor(10), ""},
		{"0.5x", settings.Factor(0.5), ""},
		{"15%", settings.Percent(0.15), ""},
		{"0.1%", settings.Percent(0.001), ""},
		{"7%", settings.Percent(0.07), ""},
		{"256MB", settings.Bytes(256e6), ""},
		{"64KiB", settings.Bytes(65536), ""},
		{"1.5kB", settings.Bytes(1500), ""},
		{"1KB", settings.Bytes(1000), "1kB"},
		{"0", settings.Bytes(0), "0B"},
		{"50Mbit", settings.Rate(6.25e6), ""},
		{"50MB/s", settings.Rate(5e7), "400Mbit"},
		{"8bit/s", settings.Rate(1), "8bit"},
		{"0", settings.Rate(0), ""},
		{"15%", settings.Span{Factor: 0.15}, ""},
		{"10x", settings.Span{Factor: 10}, ""},
		{"40ms", settings.Span{Duration: 40e6}, ""},
		{"0", settings.Span{}, "0s"},
	} {
		got, err := parse(c.want, c.text)
		if err != nil || got != c.want {
			t.Errorf("%q: got %v, %v, want %v", c.text, got, err, c.want)
		}
		back := c.back
		if back == "" {
			back = c.text
		}
		if text, err := got.MarshalText(); err != nil || string(text) != back {
			t.Errorf("%q is written as %q, %v, want %q", c.text, text, err, back)
		}
		if pattern, _ := c.want.Form(); !regexp.MustCompile(pattern).MatchString(c.text) {
			t.Errorf("the pattern of %T does not match %q", c.want, c.text)
		}
	}
}

// parse reads a text as a value of the type of like.
func parse(like form, text string) (form, error) {
	switch like.(type) {
	case settings.Duration:
		return read[settings.Duration](text)
	case settings.Factor:
		return read[settings.Factor](text)
	case settings.Percent:
		return read[settings.Percent](text)
	case settings.Bytes:
		return read[settings.Bytes](text)
	case settings.Rate:
		return read[settings.Rate](text)
	default:
		return read[settings.Span](text)
	}
}

func read[T form, P interface {
	*T
	encoding.TextUnmarshaler
}](text string,
) (form, error) {
	var value T
	err := P(&value).UnmarshalText([]byte(text))
	return value, err
}

func TestUnitsRefuse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		like form
		text string
		want string
	}{
		{settings.Duration(0), "40", "40 has no unit; write 40ms or 40s"},
		{settings.Duration(0), "", `"" is not a length of time; write it as in 40ms, 1.5s or 1m30s`},
		{settings.Duration(0), "-1s", "-1s is negative; write 0s or more"},
		{settings.Factor(0), "10", "10 has no unit; write 10x"},
		{settings.Factor(0), "10%", `10%: unknown unit "%"; use x`},
		{settings.Factor(0), "10X", `10X: unknown unit "X"; write 10x`},
		{settings.Factor(0), "NaNx", `"NaNx" is not a number with a unit; write it as in 40x`},
		{settings.Factor(0), "1e999x", `"1e999x" is not a number with a unit; write it as in 40x`},
		{settings.Percent(0), "0.1", "0.1 has no unit; write 10%"},
		{settings.Percent(0), "15", "15 has no unit; write 15%"},
		{settings.Percent(0), "-5%", "-5% is negative; write 0 or more"},
		{settings.Bytes(0), "256", "256 has no unit; write 256MB"},
		{settings.Bytes(0), "99999999TB", "99999999TB is too large"},
		{settings.Rate(0), "5mbit", `5mbit: unknown unit "mbit"; write 5Mbit`},
		{settings.Span{}, "15", "15 has no unit; write 15ms, 15x or 15%"},
		{settings.Span{}, "soon", `"soon" is not a length of time; write it as in 40ms, 10x or 15%`},
		{settings.Span{}, "-3x", "-3x is negative; write 0 or more"},
	} {
		if got, err := parse(c.like, c.text); err == nil || err.Error() != c.want {
			t.Errorf("%T %q: got %v, %v\nwant %s", c.like, c.text, got, err, c.want)
		}
	}
}

// TestUnitsComeBack: whatever is written is read as the same value and matches the published pattern.
func TestUnitsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Int64Range(0, 1<<50).Draw(t, "whole")
		part := float64(rapid.IntRange(0, 1e6).Draw(t, "part")) / 1000
		for _, value := range []form{
			settings.Duration(whole), settings.Bytes(whole), settings.Factor(part),
			settings.Span{Duration: settings.Duration(whole)},
			settings.Percent(part / 100), settings.Rate(part * 125),
		} {
			text, err := value.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			back, err := parse(value, string(text))
			if err != nil || !near(back, value) {
				t.Fatalf("%T %v is written as %q and read as %v, %v", value, value, text, back, err)
			}
			if pattern, _ := value.Form(); !regexp.MustCompile(pattern).Match(text) {
				t.Fatalf("the pattern of %T does not match %q", value, text)
			}
		}
	})
}

// near allows for the last bits of divisions by 8, 100 and 1024.
func near(a, b form) bool {
	x, okA := number(a)
	y, okB := number(b)
	if okA && okB {
		return math.Abs(x-y) <= 1e-9*math.Abs(y)
	}
	return a == b
}

func number(f form) (float64, bool) {
	switch v := f.(type) {
	case settings.Percent:
		return float64(v), true
	case settings.Rate:
		return float64(v), true
	case settings.Bytes:
		return float64(v), true
	default:
		return 0, false
	}
}

func TestSpanIsZero(t *testing.T) {
	t.Parallel()
	if !(settings.Span{}).IsZero() || (settings.Span{Factor: 1}).IsZero() || (settings.Span{Duration: 1}).IsZero() {
		t.Error("IsZero tells a span that was given from one that was not")
	}
}
