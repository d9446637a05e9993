package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"time"
	"unicode"
	"unicode/utf8"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Format is what both ends of a connection agreed on. A frame of another run or model is refused.
type Format struct {
	Run       Hash
	Signature Hash
	Params    int // length of the parameter vector: bounds what a decoder allocates
}

// Append encodes p and appends it to dst. It fails when p exceeds what a decoder would take.
func (f Format) Append(dst []byte, p Packet) ([]byte, error) {
	at := len(dst)
	dst, err := f.appendHead(dst, p)
	if err != nil {
		return dst[:at], err
	}
	dst = payloadOf(p).appendTo(dst)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[at:], castagnoli)), nil
}

// appendHead appends the header and the body without the payload of an estimate.
func (f Format) appendHead(dst []byte, p Packet) ([]byte, error) {
	at := len(dst)
	dst = append(dst, "STRL"...)
	dst = append(dst, version(p), byte(p.kind()), 0, 0)
	dst = append(dst, make([]byte, 8)...)
	dst, err := f.appendBody(dst, p)
	if err != nil {
		return dst, err
	}
	length := uint64(len(dst)-at-headerSize) + uint64(payloadOf(p).size())
	if length > f.limit(p.kind()) {
		return dst, refused(Size, "%d bytes are more than the %d allowed", length, f.limit(p.kind()))
	}
	binary.LittleEndian.PutUint64(dst[at+8:], length)
	return dst, nil
}

func (f Format) appendBody(dst []byte, p Packet) ([]byte, error) {
	e := encoder{bytes: dst}
	switch p := p.(type) {
	case Frame:
		e.frame(f, p)
	case Hello:
		e.hello(p)
	case Refuse:
		e.u8(uint8(p.Code))
		e.text(p.Text, MaxText)
	case Ping:
		e.u64(p.Nonce)
	case Pong:
		e.u64(p.Nonce)
	case Ack:
		e.u64(p.Seq)
		e.u8(reasonNumber(p.Reason))
	case Bye:
		e.text(p.Text, MaxText)
	case Introduce:
		e.text(string(p.Peer), MaxName)
		e.text(p.Name, MaxName)
		e.addresses(p.Addrs)
	case Summary:
		e.summary(p)
	case Announce:
		e.announce(p)
	case Welcome:
	default:
		panic(fmt.Sprintf("wire: unknown packet %T", p))
	}
	return e.bytes, e.err
}

func version(p Packet) uint8 {
	if hello, ok := p.(Hello); ok {
		return hello.version()
	}
	return Version
}

// limit is the largest body of a kind; 0 for a kind that does not exist.
func (f Format) limit(k kind) uint64 {
	switch k {
	case kindEstimate:
		return f.maxEstimate()
	case kindHello:
		return MaxHello
	case kindSummary:
		return MaxSummary - headerSize - checksumSize
	case kindEstablished, kindIntent, kindDegree, kindDone, kindSpeed, kindWelcome, kindRefuse,
		kindPing, kindPong, kindAck, kindBye, kindIntroduce, kindAnnounce:
		return MaxControl
	}
	return 0
}

// encoder appends fields and remembers the first that breaks a limit.
type encoder struct {
	bytes []byte
	err   error
}

func (e *encoder) u8(v uint8)   { e.bytes = append(e.bytes, v) }
func (e *encoder) u16(v uint16) { e.bytes = binary.LittleEndian.AppendUint16(e.bytes, v) }
func (e *encoder) u32(v uint32) { e.bytes = binary.LittleEndian.AppendUint32(e.bytes, v) }
func (e *encoder) u64(v uint64) { e.bytes = binary.LittleEndian.AppendUint64(e.bytes, v) }
func (e *encoder) hash(h Hash)  { e.bytes = append(e.bytes, h[:]...) }

func (e *encoder) f32(v float32) {
	if !finite(v) {
		e.fail(NaN, "%v is not finite", v)
	}
	e.u32(math.Float32bits(v))
}

// weight appends a float64 that is finite and not negative.
func (e *encoder) weight(v float64) {
	if reason, wrong := wrongWeight(v); wrong {
		e.fail(reason, "weight is %v, not a number from 0 on", v)
	}
	e.u64(math.Float64bits(v))
}

// number appends an integer from 0 to limit.
func (e *encoder) number(v, limit int, what string) {
	if v < 0 || v > limit {
		e.fail(Schema, "%s %d is not 0 to %d", what, v, limit)
	}
	e.u32(uint32(v))
}

func (e *encoder) bool(v bool) {
	if v {
		e.u8(1)
	} else {
		e.u8(0)
	}
}

func (e *encoder) text(s string, limit int) {
	if len(s) > limit {
		e.fail(Size, "text of %d bytes, %d are allowed: %.20q…", len(s), limit, s)
	} else if !printable(s) {
		e.fail(Schema, "text %.80q has characters that cannot be printed", s)
	}
	e.u16(uint16(min(len(s), math.MaxUint16)))
	e.bytes = append(e.bytes, s...)
}

// count appends the length of a list.
func (e *encoder) count(n, limit int, what string) {
	if n > limit {
		e.fail(Size, "%d %s, %d are allowed", n, what, limit)
	}
	e.u16(uint16(min(n, math.MaxUint16)))
}

func (e *encoder) fail(reason Reason, format string, args ...any) {
	if e.err == nil {
		e.err = refused(reason, format, args...)
	}
}

func (e *encoder) summary(s Summary) {
	e.hash(s.Run)
	e.text(s.Name, MaxName)
	e.u8(uint8(s.State))
	for _, v := range []uint64{s.Epoch, s.Round, s.Steps, uint64(s.StepTime)} {
		e.u64(v)
	}
	for _, v := range []float32{s.Loss, s.Accuracy, s.Waiting, s.Distance} {
		e.f32(v)
	}
	e.count(len(s.Ages), MaxAges, "ages")
	for _, age := range s.Ages {
		e.u32(age.Peer)
		e.u32(milliseconds(age.Age))
	}
}

func milliseconds(d time.Duration) uint32 {
	return uint32(min(max(d.Milliseconds(), 0), math.MaxUint32))
}

func (e *encoder) announce(a Announce) {
	e.hash(a.Run)
	e.text(a.Name, MaxName)
	e.bool(a.Leaving)
	e.addresses(a.Addrs)
}

func (e *encoder) addresses(addrs []string) {
	e.count(len(addrs), MaxAddresses, "addresses")
	for _, addr := range addrs {
		e.text(addr, MaxAddress)
	}
}

func reasonNumber(reason Reason) uint8 {
	for i, r := range Reasons() {
		if r == reason {
			return uint8(i + 1)
		}
	}
	return 0
}

func finite(v float32) bool { return math.Float32bits(v)&infinity != infinity }

// wrongWeight tells why v is no weight.
func wrongWeight(v float64) (Reason, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return NaN, true
	}
	return Schema, v < 0
}

// infinity is the exponent that marks both infinities and every NaN.
const infinity = 0x7f800000

func printable(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// clip cuts s to at most limit bytes without splitting a character.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
