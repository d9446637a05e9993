package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/starling-ml/starling/consensus"
)

// Reader reads packets from a stream. It never holds more than one chunk beside the packet it
// returns, and allocates no more than two of the run's own parameter vectors whatever a peer claims; a
// frame grows as its bytes arrive.
type Reader struct {
	in     io.Reader
	format Format
	buffer []byte
	sum    uint32 // of the packet so far
}

// NewReader returns a reader of packets of one format.
func NewReader(in io.Reader, f Format) *Reader {
	return &Reader{in: in, format: f, buffer: make([]byte, 0, 512)}
}

// Next returns the next packet and its length in bytes. A refused packet is an *Error, and io.EOF
// means that the stream ended between two packets; any other error is the stream's.
func (r *Reader) Next() (Packet, int, error) {
	k, version, length, err := r.header()
	if err != nil {
		return nil, 0, err
	}
	size := headerSize + length + checksumSize
	if k == kindEstimate {
		p, err := r.estimate(length)
		return p, size, err
	}
	body, err := r.grow(length)
	if err != nil {
		return nil, size, err
	}
	if err := r.checksum(); err != nil {
		return nil, size, err
	}
	p, refusal := r.format.body(k, version, body)
	if refusal != nil {
		return nil, size, refusal
	}
	return p, size, nil
}

// header reads and checks a header; only a broken stream or one of another protocol fails here.
func (r *Reader) header() (k kind, version uint8, length int, err error) {
	r.sum = 0
	r.buffer = r.buffer[:headerSize]
	if _, err := io.ReadFull(r.in, r.buffer); err != nil {
		return 0, 0, 0, err
	}
	h := r.buffer
	r.sum = crc32.Update(r.sum, castagnoli, h)
	k, version = kind(h[5]), h[4]
	claimed := binary.LittleEndian.Uint64(h[8:])
	switch {
	case string(h[:4]) != "STRL":
		return 0, 0, 0, lost(Schema, "packet starts with %q, not \"STRL\"", h[:4])
	case r.format.limit(k) == 0 && k != kindWelcome:
		return 0, 0, 0, lost(Schema, "packet of unknown kind %d", k)
	case version != Version && k != kindHello && k != kindRefuse:
		return 0, 0, 0, lost(Schema, "packet of protocol version %d, this is %d", version, Version)
	case h[6] != 0 || h[7] != 0:
		return 0, 0, 0, lost(Schema, "reserved bytes of the header are %d and %d, not 0", h[6], h[7])
	case claimed > r.format.limit(k):
		return 0, 0, 0, lost(Size, "packet of %d bytes, kind %d has at most %d", claimed, k, r.format.limit(k))
	case k == kindEstimate && claimed < estimateMeta:
		return 0, 0, 0, lost(Size, "estimate of %d bytes, its fields alone have %d", claimed, estimateMeta)
	}
	return k, version, int(claimed), nil
}

// grow reads n bytes into the buffer, which grows only as they arrive.
func (r *Reader) grow(n int) ([]byte, error) {
	var err error
	r.buffer, err = r.extend(r.buffer[:0], n)
	return r.buffer, err
}

// extend makes part n bytes long with what it reads; part grows only as bytes arrive.
func (r *Reader) extend(part []byte, n int) ([]byte, error) {
	for len(part) < n {
		at := len(part)
		part = append(part, make([]byte, min(n-at, chunkSize))...)
		if err := r.fill(part[at:]); err != nil {
			return part, err
		}
	}
	return part, nil
}

// fill reads a part of a packet, into which the stream must not end.
func (r *Reader) fill(part []byte) error {
	_, err := io.ReadFull(r.in, part)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("read packet: %w", err)
	}
	r.sum = crc32.Update(r.sum, castagnoli, part)
	return nil
}

func (r *Reader) checksum() error {
	want := r.sum
	var trailer [checksumSize]byte
	if err := r.fill(trailer[:]); err != nil {
		return err
	}
	if got := binary.LittleEndian.Uint32(trailer[:]); got != want {
		return lost(Checksum, "checksum is %08x, the packet's content gives %08x", got, want)
	}
	return nil
}

// estimate reads the body of an estimate in chunks. Whatever is wrong with its fields, it reads to
// the end, so that the next packet can be found.
func (r *Reader) estimate(length int) (Packet, error) {
	meta, err := r.grow(estimateMeta)
	if err != nil {
		return nil, err
	}
	d := decoder{bytes: meta}
	frame := d.frame(r.format, kindEstimate)
	estimate := frame.Message.(consensus.Estimate)
	rest := length - estimateMeta
	if d.shape.size() != uint64(rest) {
		d.fail(Size, "payload of %d and extra of %d bytes, %d follow", d.shape.params, d.shape.extra, rest)
	}
	refusal := d.err
	if refusal != nil {
		err = r.skip(rest)
	} else {
		refusal, err = r.payload(&estimate, d.shape)
	}
	if err != nil {
		return nil, err
	}
	if err := r.checksum(); err != nil {
		return nil, err
	}
	if refusal != nil {
		refusal.Seq = estimate.Seq
		return nil, refusal
	}
	frame.Message = estimate
	return frame, nil
}

// payload reads what follows the fields of e into it, and refuses floats that are not finite.
func (r *Reader) payload(e *consensus.Estimate, s shape) (refusal *Error, err error) {
	finite, extraFinite := true, true
	if s.codec == codecFrame {
		e.Frame, err = r.extend(nil, int(s.params))
	} else {
		e.Params, finite, err = r.floats(int(s.params) / 4)
	}
	if err == nil && s.extra > 0 {
		e.Extra, extraFinite, err = r.floats(int(s.extra) / 4)
	}
	if !finite {
		refusal = refused(NaN, "the payload has values that are not finite")
	} else if !extraFinite {
		refusal = refused(NaN, "the extra vector has values that are not finite")
	}
	return refusal, err
}

// floats reads n values and tells whether all are finite.
func (r *Reader) floats(n int) (values []float32, ok bool, err error) {
	values, ok = make([]float32, n), true
	for rest := values; len(rest) > 0; {
		chunk := rest[:min(len(rest), chunkSize/4)]
		finite, err := readFloats(chunk, r.fill)
		if err != nil {
			return nil, false, err
		}
		ok = ok && finite
		rest = rest[len(chunk):]
	}
	return values, ok, nil
}

// skip reads n bytes to nowhere.
func (r *Reader) skip(n int) error {
	if cap(r.buffer) < min(n, chunkSize) {
		r.buffer = make([]byte, chunkSize)
	}
	for n > 0 {
		chunk := r.buffer[:min(n, chunkSize)]
		if err := r.fill(chunk); err != nil {
			return err
		}
		n -= len(chunk)
	}
	return nil
}
