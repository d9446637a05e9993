package settings

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// unit is one way to write a quantity: a suffix and what it is worth.
type unit struct {
	suffix string
	worth  float64
}

// errUnit and errForm are in errors about quantities, so that a type with several forms can tell more.
var (
	errUnit = errors.New("has no unit")
	errForm = errors.New("is not a length of time")
)

// quantity parses a number with one of the units; hints show the first. "0" needs none. With errUnit the
// bare number is returned.
func quantity(text string, units []unit) (float64, error) {
	number := strings.TrimRight(text, letters)
	suffix := strings.TrimSpace(text[len(number):])
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, fmt.Errorf("%q is not a number with a unit; write it as in %s", text, example(units))
	}
	if x < 0 {
		return 0, fmt.Errorf("%s is negative; write 0 or more", text)
	}
	if suffix == "" {
		if x == 0 {
			return 0, nil
		}
		return x, fmt.Errorf("%s %w; write %s%s", text, errUnit, text, units[0].suffix)
	}
	for _, u := range units {
		if u.suffix == suffix {
			return x * u.worth, nil
		}
	}
	for _, u := range units {
		if strings.EqualFold(u.suffix, suffix) {
			return 0, fmt.Errorf("%s: unknown unit %q; write %s%s", text, suffix, number, u.suffix)
		}
	}
	return 0, fmt.Errorf("%s: unknown unit %q; use %s", text, suffix, suffixes(units))
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%/µ"

func example(units []unit) string { return "40" + units[0].suffix }

func suffixes(units []unit) string {
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.suffix
	}
	return strings.Join(names, ", ")
}

// shortest prints x in the largest of the units, which are given from small to large, that leaves at
// least 1 before the point.
func shortest(x float64, units []unit) string {
	best := units[0]
	for _, u := range units {
		if x >= u.worth {
			best = u
		}
	}
	return decimal(x/best.worth) + best.suffix
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
