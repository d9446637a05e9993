package wire

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/starling-ml/starling/vec"
)

// littleEndian machines hold float32 values in memory as the wire does: no copy is needed there.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// floatBytes is the memory of values.
func floatBytes(values []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values))
}

// encodeFloats returns the encoding of values: their memory, or a copy in scratch.
func encodeFloats(scratch []byte, values []float32) []byte {
	if littleEndian {
		return floatBytes(values)
	}
	return appendFloats(scratch[:0], values)
}

// appendFloats appends the encoding of values.
func appendFloats(dst []byte, values []float32) []byte {
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	}
	return dst
}

// readFloats fills values with what fill reads, and tells whether all are finite.
func readFloats(values []float32, fill func([]byte) error) (bool, error) {
	memory := floatBytes(values)
	if err := fill(memory); err != nil {
		return false, err
	}
	if !littleEndian {
		swapFloats(values)
	}
	return vec.Finite(values), nil
}

// swapFloats turns the order of the bytes of each value round.
func swapFloats(values []float32) {
	memory := floatBytes(values)
	for i := range values {
		binary.BigEndian.PutUint32(memory[4*i:], binary.LittleEndian.Uint32(memory[4*i:]))
	}
}
