package vec

import (
	"encoding/binary"
	"math"
)

// AppendBF16 appends the values rounded to 16 bits: sign, exponent and the first seven bits of the
// fraction of a float32. Ties go to even; what would become infinite stays the largest finite value.
func AppendBF16(dst []byte, x []float32) []byte {
	for _, v := range x {
		dst = binary.LittleEndian.AppendUint16(dst, toBF16(v))
	}
	return dst
}

// DecodeBF16 returns the n values of a frame.
func DecodeBF16(frame []byte, n int) ([]float32, error) {
	if len(frame) != 2*n {
		return nil, errFrame
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = fromBF16(binary.LittleEndian.Uint16(frame[2*i:]))
	}
	return finite(x)
}

func toBF16(v float32) uint16 {
	bits := math.Float32bits(v)
	bits += 0x7fff + bits>>16&1
	half := uint16(bits >> 16)
	if half&0x7f80 == 0x7f80 {
		half-- // one below infinity is the largest finite value
	}
	return half
}

func fromBF16(half uint16) float32 { return math.Float32frombits(uint32(half) << 16) }

// AppendInt8 appends the difference of x to base: for every block of values a float32 scale, the largest
// difference divided by 127, and then one byte a value.
func AppendInt8(dst []byte, x, base []float32, block int) []byte {
	mustMatch(len(x), len(base))
	for lo := 0; lo < len(x); lo += block {
		dst = appendInt8Block(dst, x[lo:min(lo+block, len(x))], base[lo:])
	}
	return dst
}

func appendInt8Block(dst []byte, x, base []float32) []byte {
	var largest float32
	for i := range x {
		largest = max(largest, abs(x[i]-base[i]))
	}
	scale := min(largest/127, math.MaxFloat32/128) // 127 of them do not overflow
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(scale))
	if scale == 0 { // all equal, or too close for a scale
		return append(dst, make([]byte, len(x))...)
	}
	for i := range x {
		level := math.RoundToEven(float64((x[i] - base[i]) / scale))
		dst = append(dst, byte(int8(max(-127, min(127, level)))))
	}
	return dst
}

// DecodeInt8 returns base moved by the differences of a frame.
func DecodeInt8(frame []byte, base []float32, block int) ([]float32, error) {
	blocks := (len(base) + block - 1) / block
	if len(frame) != 4*blocks+len(base) {
		return nil, errFrame
	}
	x := make([]float32, len(base))
	for lo := 0; lo < len(x); lo += block {
		scale := math.Float32frombits(binary.LittleEndian.Uint32(frame))
		levels := frame[4:]
		hi := min(lo+block, len(x))
		for i := lo; i < hi; i++ {
			x[i] = base[i] + float32(scale*float32(int8(levels[i-lo])))
		}
		frame = levels[hi-lo:]
	}
	return finite(x)
}

// finite refuses what would put a value that is no number into a mix.
func finite(x []float32) ([]float32, error) {
	if !Finite(x) {
		return nil, errFrame
	}
	return x, nil
}

func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }
