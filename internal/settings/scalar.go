package settings

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// scalar fills a word, a truth or a number.
func (d *decoder) scalar(path string, n *node, v reflect.Value, r rules) {
	if n.kind == null {
		d.report(path, n.at, "has no value", `give one, or remove the key`)
		return
	}
	if !d.expect(path, n, scalar) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		d.word(path, n, v, r)
	case reflect.Bool:
		d.boolean(path, n, v)
	default:
		d.number(path, n, v, r)
	}
}

func (d *decoder) word(path string, n *node, v reflect.Value, r rules) {
	if n.plain == number || n.plain == boolean {
		d.report(path, n.at, "expected text, got "+n.text, fmt.Sprintf("put it in quotes: %q", n.text))
		return
	}
	choices := r.enum
	if c, ok := v.Interface().(Choices); ok {
		choices = c.Choices()
	}
	if what, hint := oneOf(n.text, choices); what != "" {
		d.report(path, n.at, what, hint)
		return
	}
	v.SetString(n.text)
	if p, ok := v.Addr().Interface().(*Path); ok {
		*p = p.resolve(n.at)
	}
}

// oneOf says what is wrong with a word that is not among the choices; without choices all are right.
func oneOf(word string, choices []string) (what, hint string) {
	for _, c := range choices {
		if word == c {
			return "", ""
		}
	}
	if len(choices) == 0 {
		return "", ""
	}
	hint = Suggest(word, choices)
	if hint != "" && len(choices) > mostListed {
		return fmt.Sprintf("%q is not one of the %d that are known", word, len(choices)), hint
	}
	return fmt.Sprintf("%q is not one of %s", word, strings.Join(choices, ", ")), hint
}

// mostListed is the number of choices from which on they are listed only when none is like the word.
const mostListed = 10

func (d *decoder) boolean(path string, n *node, v reflect.Value) {
	switch {
	case n.plain != text && n.text == "true":
		v.SetBool(true)
	case n.plain != text && n.text == "false":
		v.SetBool(false)
	default:
		d.report(path, n.at, "expected true or false, got "+quoted(n), "")
	}
}

func (d *decoder) number(path string, n *node, v reflect.Value, r rules) {
	x, what := parseNumber(n, v.Type())
	if what == "" {
		for _, l := range r.limits {
			if broken := l.broken(x); broken != "" {
				what = n.text + " " + broken
			}
		}
	}
	if what != "" {
		d.report(path, n.at, what, "")
		return
	}
	setNumber(v, n.text)
}

// parseNumber says what is wrong with the text as a number of type t, or "".
func parseNumber(n *node, t reflect.Type) (x float64, what string) {
	digits := strings.TrimLeft(n.text, "+-")
	octal := len(digits) > 1 && digits[0] == '0' && '0' <= digits[1] && digits[1] <= '9'
	whole := "a whole number"
	var err error
	switch t.Kind() {
	case reflect.Float64, reflect.Float32:
		whole = "a number"
		if x, err = strconv.ParseFloat(n.text, t.Bits()); err == nil && (math.IsInf(x, 0) || math.IsNaN(x)) {
			return 0, n.text + " is no finite number"
		}
	case reflect.Uint, reflect.Uint64, reflect.Uint32, reflect.Uint16, reflect.Uint8:
		var u uint64
		u, err = strconv.ParseUint(n.text, 10, t.Bits())
		whole, x = "a whole number of at least 0", float64(u)
	default:
		var i int64
		i, err = strconv.ParseInt(n.text, 10, t.Bits())
		x = float64(i)
	}
	if errors.Is(err, strconv.ErrRange) {
		return 0, n.text + " is out of range"
	}
	if err != nil || n.plain == text {
		return 0, fmt.Sprintf("expected %s, got %s", whole, quoted(n))
	}
	if octal {
		return 0, n.text + " begins with a 0, which YAML reads as octal: leave the 0 out"
	}
	return x, ""
}

// setNumber sets v from a text that parseNumber accepted.
func setNumber(v reflect.Value, text string) {
	if v.CanFloat() {
		x, _ := strconv.ParseFloat(text, v.Type().Bits())
		v.SetFloat(x)
		return
	}
	if v.CanUint() {
		u, _ := strconv.ParseUint(text, 10, 64)
		v.SetUint(u)
		return
	}
	i, _ := strconv.ParseInt(text, 10, 64)
	v.SetInt(i)
}
