package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/starling-ml/starling/consensus"
)

// Decode decodes exactly one packet, as published on the control topic.
func (f Format) Decode(b []byte) (Packet, error) {
	r := NewReader(bytes.NewReader(b), f)
	p, n, err := r.Next()
	if err == nil && n != len(b) {
		return nil, refused(Size, "%d bytes follow the packet", len(b)-n)
	}
	return p, err
}

// body decodes a body that has been read whole; of an estimate everything but the payload.
func (f Format) body(k kind, version uint8, b []byte) (Packet, *Error) {
	d := decoder{bytes: b}
	p := d.packet(f, k, version)
	if d.err == nil && len(d.bytes) > 0 {
		d.fail(Size, "%d bytes follow the last field of kind %d", len(d.bytes), k)
	}
	return p, d.err
}

func (d *decoder) packet(f Format, k kind, version uint8) Packet {
	switch k {
	case kindHello:
		return d.hello(version)
	case kindWelcome:
		return Welcome{}
	case kindRefuse:
		return Refuse{Code: Code(d.u8()), Text: d.text(MaxText)}
	case kindPing:
		return Ping{Nonce: d.u64()}
	case kindPong:
		return Pong{Nonce: d.u64()}
	case kindAck:
		return Ack{Seq: d.u64(), Reason: d.reason()}
	case kindBye:
		return Bye{Text: d.text(MaxText)}
	case kindIntroduce:
		return Introduce{Peer: d.peer(), Name: d.text(MaxName), Addrs: d.addresses()}
	case kindSummary:
		return d.summary()
	case kindAnnounce:
		return d.announce()
	}
	return d.frame(f, k)
}

// decoder takes fields off the front of bytes and remembers the first that is wrong; after that all
// fields are zero.
type decoder struct {
	bytes []byte
	err   *Error
	shape shape // of the payload that follows an estimate
}

func (d *decoder) take(n int) []byte {
	if d.err == nil && n > len(d.bytes) {
		d.fail(Size, "packet ends in the middle of a field")
	}
	if d.err != nil {
		return make([]byte, n)
	}
	field := d.bytes[:n]
	d.bytes = d.bytes[n:]
	return field
}

func (d *decoder) u8() uint8   { return d.take(1)[0] }
func (d *decoder) u16() uint16 { return binary.LittleEndian.Uint16(d.take(2)) }
func (d *decoder) u32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }
func (d *decoder) u64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }
func (d *decoder) hash() Hash  { return Hash(d.take(16)) }

func (d *decoder) f32() float32 {
	v := math.Float32frombits(d.u32())
	if !finite(v) {
		d.fail(NaN, "%v is not finite", v)
		return 0
	}
	return v
}

func (d *decoder) bool() bool {
	v := d.u8()
	if v > 1 {
		d.fail(Schema, "flag is %d, not 0 or 1", v)
	}
	return v == 1
}

func (d *decoder) text(limit int) string {
	n := int(d.u16())
	if n > limit {
		d.fail(Size, "text of %d bytes, %d are allowed", n, limit)
		return ""
	}
	s := string(d.take(n))
	if d.err != nil {
		return ""
	}
	if !printable(s) {
		d.fail(Schema, "text %.80q has characters that cannot be printed", s)
	}
	return s
}

func (d *decoder) count(limit int, what string) int {
	n := int(d.u16())
	if n > limit {
		d.fail(Size, "%d %s, %d are allowed", n, what, limit)
		return 0
	}
	return n
}

func (d *decoder) peer() consensus.Peer { return consensus.Peer(d.text(MaxName)) }

func (d *decoder) duration(what string) consensus.Duration {
	v := consensus.Duration(d.u64())
	if v < 0 {
		d.fail(Schema, "%s of %d ns is negative", what, v)
	}
	return v
}

func (d *decoder) number(limit uint32, what string) int {
	v := d.u32()
	if v > limit {
		d.fail(Schema, "%s %d is more than %d", what, v, limit)
		return 0
	}
	return int(v)
}

const (
	// maxDegree is far above any sensible number of neighbours and keeps weights away from zero.
	maxDegree = 1 << 20
	// maxWork is far above any sensible number of local steps in a block.
	maxWork = 1 << 30
)

func (d *decoder) weight() float64 {
	v := math.Float64frombits(d.u64())
	if reason, wrong := wrongWeight(v); wrong {
		d.fail(reason, "weight is %v, not a number from 0 on", v)
		return 0
	}
	return v
}

func (d *decoder) reason() Reason {
	n := int(d.u8())
	if n > len(Reasons()) {
		d.fail(Schema, "reason %d is unknown", n)
	}
	if n == 0 || d.err != nil {
		return ""
	}
	return Reasons()[n-1]
}

func (d *decoder) rest() { d.bytes = nil }

func (d *decoder) fail(reason Reason, format string, args ...any) {
	if d.err == nil {
		d.err = &Error{Reason: reason, Detail: fmt.Sprintf(format, args...)}
	}
}

func (d *decoder) summary() Summary {
	s := Summary{Run: d.hash(), Name: d.text(MaxName), State: State(d.u8())}
	s.Epoch, s.Round, s.Steps = d.u64(), d.u64(), d.u64()
	s.StepTime = d.duration("step time")
	s.Loss, s.Accuracy, s.Waiting, s.Distance = d.f32(), d.f32(), d.f32(), d.f32()
	for range d.count(MaxAges, "ages") {
		s.Ages = append(s.Ages, Age{Peer: d.u32(), Age: time.Duration(d.u32()) * time.Millisecond})
	}
	return s
}

func (d *decoder) announce() Announce {
	return Announce{Run: d.hash(), Name: d.text(MaxName), Leaving: d.bool(), Addrs: d.addresses()}
}

func (d *decoder) addresses() []string {
	var addrs []string
	for range d.count(MaxAddresses, "addresses") {
		addrs = append(addrs, d.text(MaxAddress))
	}
	return addrs
}
