package consensus

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
)

// line builds the canonical line of an event, effect or message: a word, then key=value for every
// field that is not zero, in the order of the struct. Equal values have equal lines.
type line struct{ b strings.Builder }

func newLine(word string) *line {
	l := &line{}
	l.b.WriteString(word)
	return l
}

func (l *line) String() string { return l.b.String() }

func (l *line) put(key, value string) *line {
	l.b.WriteByte(' ')
	l.b.WriteString(key)
	l.b.WriteByte('=')
	l.b.WriteString(value)
	return l
}

func (l *line) peer(key string, p Peer) *line {
	if p == "" {
		return l
	}
	return l.put(key, escape(p))
}

func (l *line) peers(key string, all []Peer) *line {
	if len(all) == 0 {
		return l
	}
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = escape(p)
	}
	return l.put(key, strings.Join(names, ","))
}

func (l *line) uint(key string, n uint64) *line {
	if n == 0 {
		return l
	}
	return l.put(key, strconv.FormatUint(n, 10))
}

func (l *line) int(key string, n int64) *line {
	if n == 0 {
		return l
	}
	return l.put(key, strconv.FormatInt(n, 10))
}

func (l *line) float32(key string, f float32) *line {
	if f == 0 {
		return l
	}
	return l.put(key, float32Text(f))
}

func (l *line) float64(key string, f float64) *line {
	if f == 0 {
		return l
	}
	return l.put(key, strconv.FormatFloat(f, 'g', -1, 64))
}

// vectorOrNone prints a vector that most messages do not have.
func (l *line) vectorOrNone(key string, x []float32) *line {
	if x == nil {
		return l
	}
	return l.vector(key, x)
}

func (l *line) bytes(key string, b []byte) *line {
	if b == nil {
		return l
	}
	return l.put(key, hex.EncodeToString(b))
}

func (l *line) flag(key string, on bool) *line {
	if !on {
		return l
	}
	return l.put(key, "true")
}

// vector prints up to shortVector numbers, and a fingerprint of longer vectors.
func (l *line) vector(key string, x []float32) *line {
	if len(x) > shortVector {
		return l.put(key, fmt.Sprintf("%d#%016x", len(x), fingerprint(x)))
	}
	texts := make([]string, len(x))
	for i, f := range x {
		texts[i] = float32Text(f)
	}
	return l.put(key, "["+strings.Join(texts, ",")+"]")
}

// shortVector is the length up to which vectors are printed in full and can be parsed back.
const shortVector = 8

func float32Text(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }

// fingerprint is FNV-1a over the bits of x.
func fingerprint(x []float32) uint64 {
	h := fnv.New64a()
	var b [4]byte
	for _, f := range x {
		bits := math.Float32bits(f)
		b[0], b[1], b[2], b[3] = byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24)
		h.Write(b[:])
	}
	return h.Sum64()
}

// escape makes a name one word without the characters that lines are split at.
func escape(p Peer) string {
	var b strings.Builder
	for i := range len(p) {
		if c := p[i]; c <= ' ' || c > '~' || strings.IndexByte("%,=:/", c) >= 0 {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unescape is the inverse of escape.
func unescape(s string) (Peer, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+3 > len(s) {
			return "", fmt.Errorf("name %q ends within an escape", s)
		}
		code, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", fmt.Errorf("name %q: %w", s, err)
		}
		b.WriteByte(byte(code))
		i += 2
	}
	return Peer(b.String()), nil
}
