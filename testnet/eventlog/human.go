package eventlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// envelope are the keys that every line has; what people need of them is at the start of a line.
var envelope = []string{"v", "ts", "t", "clock", "run", "peer", "name", "seq", "ev"}

// Human returns an event as one line for people: time, peer, kind, and its fields under their names in the
// log. What others wrote cannot move the cursor of a terminal.
func Human(l *Line, width int) string {
	who := l.Name
	if who == "" {
		who = l.Peer
	}
	text := fmt.Sprintf("%10.3f s  %-*s  %-15s", l.At, width, Clean(who), Clean(l.Kind))
	for _, f := range fields(l.Raw) {
		if !slices.Contains(envelope, f.key) {
			text += "  " + Clean(f.key) + " " + value(f.key, f.value)
		}
	}
	return strings.TrimRight(text, " ")
}

// Clean replaces what is not meant to be seen.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

type field struct {
	key   string
	value any
}

// fields are those of an object in the order in which they were written.
func fields(raw []byte) []field {
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	if _, err := in.Token(); err != nil {
		return nil
	}
	var all []field
	for in.More() {
		key, err := in.Token()
		name, ok := key.(string)
		var v any
		if err != nil || !ok || in.Decode(&v) != nil {
			return all
		}
		all = append(all, field{name, v})
	}
	return all
}

// value is a field's value with its unit, which its key tells.
func value(key string, v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case json.Number:
		return quantity(key, v)
	case string:
		return Clean(v)
	case []any:
		var parts []string
		for _, one := range v {
			parts = append(parts, member(one))
		}
		return list(parts)
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, Clean(name)+"="+value("", v[name]))
		}
		return list(parts)
	default:
		return fmt.Sprint(v)
	}
}

func list(parts []string) string {
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ",")
}

// member is one thing of a list: of an estimate that was mixed, whose it was.
func member(v any) string {
	if object, ok := v.(map[string]any); ok {
		return value("", object["p"])
	}
	return value("", v)
}

// quantity writes at most four digits of a number that is no count.
func quantity(key string, n json.Number) string {
	text := n.String()
	if v, err := n.Float64(); err == nil && strings.ContainsAny(text, ".eE") {
		text = strconv.FormatFloat(v, 'g', 4, 64)
	}
	switch {
	case strings.HasSuffix(key, "_s"):
		return text + " s"
	case strings.HasSuffix(key, "bytes"):
		return text + " B"
	}
	return text
}
