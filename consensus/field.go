package consensus

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

func (f *fields) take(key string) (string, bool) {
	value, ok := f.values[key]
	delete(f.values, key)
	return value, ok
}

func (f *fields) uint(key string) uint64 {
	value, ok := f.take(key)
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		f.fail("%s: %q is not a number without sign", key, value)
	}
	return n
}

func (f *fields) int(key string) int64 {
	value, ok := f.take(key)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		f.fail("%s: %q is not an integer", key, value)
	}
	return n
}

func (f *fields) float32(key string) float32 {
	value, ok := f.take(key)
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(value, 32)
	if err != nil {
		f.fail("%s: %q is not a number", key, value)
	}
	return float32(n)
}

func (f *fields) float64(key string) float64 {
	value, ok := f.take(key)
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		f.fail("%s: %q is not a number", key, value)
	}
	return n
}

func (f *fields) bytes(key string) []byte {
	value, ok := f.take(key)
	if !ok {
		return nil
	}
	b, err := hex.DecodeString(value)
	if err != nil {
		f.fail("%s: %q is not hexadecimal", key, value)
	}
	return b
}

func (f *fields) flag(key string) bool {
	value, ok := f.take(key)
	if ok && value != "true" {
		f.fail("%s: %q is not true", key, value)
	}
	return ok
}

func (f *fields) peer(key string) Peer {
	value, _ := f.take(key)
	name, err := unescape(value)
	if err != nil {
		f.fail("%s: %w", key, err)
	}
	return name
}

func (f *fields) peers(key string) []Peer {
	var names []Peer
	for _, text := range f.list(key) {
		name, err := unescape(text)
		if err != nil {
			f.fail("%s: %w", key, err)
		}
		names = append(names, name)
	}
	return names
}

func (f *fields) list(key string) []string {
	value, ok := f.take(key)
	if !ok {
		return nil
	}
	return strings.Split(value, ",")
}

func (f *fields) vector(key string) []float32 {
	value, ok := f.take(key)
	if !ok {
		return nil
	}
	if !strings.HasPrefix(value, "[") || !strings.HasSuffix(value, "]") {
		f.fail("%s: %q is not a vector like [1,2]", key, value)
		return nil
	}
	if value == "[]" {
		return nil
	}
	var x []float32
	for _, text := range strings.Split(value[1:len(value)-1], ",") {
		n, err := strconv.ParseFloat(text, 32)
		if err != nil {
			f.fail("%s: %q is not a number", key, text)
		}
		x = append(x, float32(n))
	}
	return x
}
