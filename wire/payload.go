package wire

import (
	"github.com/starling-ml/starling/consensus"
)

// Codecs, the form of an estimate's parameters on the wire. Other numbers are reserved.
const (
	codecDense uint8 = 0 // float32 values in the order of the parameter vector
	codecFrame uint8 = 1 // bytes of a codec of the core, which checks them when it decodes them
)

// payload is what follows the fields of an estimate: the parameters or a frame of them, and then what
// else is averaged.
type payload struct {
	frame  []byte
	params []float32 // empty when there is a frame
	extra  []float32
}

// payloadOf returns the payload of an estimate; that of all other packets is empty.
func payloadOf(p Packet) payload {
	if frame, ok := p.(Frame); ok {
		if e, ok := frame.Message.(consensus.Estimate); ok {
			return payload{frame: e.Frame, params: e.Params, extra: e.Extra}
		}
	}
	return payload{}
}

func (p payload) size() int { return len(p.frame) + 4*len(p.params) + 4*len(p.extra) }

// appendTo appends the encoding of the whole payload.
func (p payload) appendTo(dst []byte) []byte {
	return appendFloats(appendFloats(append(dst, p.frame...), p.params), p.extra)
}

// next takes the encoding of the next chunk off the front, empty at the end. It is the memory of the
// payload where that is possible, and scratch otherwise.
func (p *payload) next(scratch []byte) []byte {
	if len(p.frame) > 0 {
		n := min(len(p.frame), chunkSize)
		chunk := p.frame[:n]
		p.frame = p.frame[n:]
		return chunk
	}
	floats := &p.params
	if len(*floats) == 0 {
		floats = &p.extra
	}
	n := min(len(*floats), chunkSize/4)
	chunk := encodeFloats(scratch, (*floats)[:n])
	*floats = (*floats)[n:]
	return chunk
}

// shape is the codec of a payload and the lengths of its two parts in bytes.
type shape struct {
	codec         uint8
	params, extra uint64
}

func (s shape) size() uint64 { return s.params + s.extra }

// shape of a payload on the wire.
func (p payload) shape() shape {
	if len(p.frame) > 0 {
		return shape{codec: codecFrame, params: uint64(len(p.frame)), extra: 4 * uint64(len(p.extra))}
	}
	return shape{codec: codecDense, params: 4 * uint64(len(p.params)), extra: 4 * uint64(len(p.extra))}
}

// check refuses what an estimate of the run's model cannot be.
func (s shape) check(f Format) *Error {
	switch {
	case s.codec > codecFrame:
		return refused(Schema, "codec %d is unknown", s.codec)
	case s.codec == codecDense && s.params != f.dense():
		return refused(Size, "payload of %d bytes, the run's model has %d", s.params, f.dense())
	case s.codec == codecFrame && (s.params == 0 || s.params > f.maxFrame()):
		return refused(Size, "frame of %d bytes, one of this model has 1 to %d", s.params, f.maxFrame())
	case s.extra != 0 && s.extra != f.dense():
		return refused(Size, "extra of %d bytes, the run's model has 0 or %d", s.extra, f.dense())
	}
	return nil
}

// dense is the length in bytes of a parameter vector.
func (f Format) dense() uint64 { return 4 * uint64(max(f.Params, 0)) }

// maxFrame bounds a frame: no codec needs more than an index and a value for every parameter, and a
// head.
func (f Format) maxFrame() uint64 { return 2*f.dense() + 1024 }

// maxEstimate is the largest body of an estimate: a frame and an extra vector.
func (f Format) maxEstimate() uint64 { return estimateMeta + f.maxFrame() + f.dense() }

// EstimateSize is the length in bytes of a packet with dense parameters and nothing else.
func (f Format) EstimateSize() int { return headerSize + estimateMeta + int(f.dense()) + checksumSize }

// SizeOf is the length in bytes of the packet that carries e, whatever the model.
func (f Format) SizeOf(e consensus.Estimate) int {
	return headerSize + estimateMeta + payloadOf(Frame{Message: e}).size() + checksumSize
}
