package vec

import (
	"encoding/binary"
	"math"
)

// Largest returns the indices of the k elements in which x and base differ most, in rising order. Of
// equal differences the first ones are taken.
func Largest(x, base []float32, k int) []uint32 {
	mustMatch(len(x), len(base))
	k = min(k, len(x))
	if k <= 0 {
		return nil
	}
	key := func(i int) uint32 { return math.Float32bits(x[i]-base[i]) &^ (1 << 31) }
	least, ties := threshold(len(x), k, key)
	chosen := make([]uint32, 0, k)
	for i := range x {
		switch difference := key(i); {
		case difference > least:
			chosen = append(chosen, uint32(i))
		case difference == least && ties > 0:
			ties--
			chosen = append(chosen, uint32(i))
		}
	}
	return chosen
}

// keyBits is the length of a key: that of a float without its sign.
const keyBits = 31

// digitBits is the length of the digits by which n keys are counted: few long ones, but with a table for
// them that takes no longer to go through than the keys.
func digitBits(n int) int {
	if n < 1<<16 {
		return 11
	}
	return 16
}

// threshold returns the k-th largest key, and how many that are equal to it belong to the k largest: it is
// found digit by digit, from the highest. The bits of positive floats are in the order of their values.
func threshold(n, k int, key func(i int) uint32) (least uint32, ties int) {
	digit := digitBits(n)
	count := make([]int, 1<<digit)
	for shift := keyBits / digit * digit; shift >= 0; shift -= digit {
		clear(count)
		known := least >> (shift + digit)
		for i := range n {
			if difference := key(i); difference>>(shift+digit) == known {
				count[difference>>shift&(1<<digit-1)]++
			}
		}
		var next uint32
		next, k = descend(count, k)
		least |= next << shift
	}
	return least, k
}

// descend returns the place that holds the k-th of what is counted, from the top, and how many of the k
// are in that place.
func descend(count []int, k int) (uint32, int) {
	at := len(count) - 1
	for ; count[at] < k; at-- {
		k -= count[at]
	}
	return uint32(at), k
}

// AppendIndices appends indices in rising order as the gaps between them.
func AppendIndices(dst []byte, indices []uint32) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(indices)))
	next := uint32(0)
	for _, i := range indices {
		dst = binary.AppendUvarint(dst, uint64(i-next))
		next = i + 1
	}
	return dst
}

// ReadIndices reads what AppendIndices appended, indices below n, and returns the rest of the frame.
func ReadIndices(frame []byte, n int) (indices []uint32, rest []byte, err error) {
	count, used := binary.Uvarint(frame)
	if used <= 0 || count > uint64(min(n, len(frame))) {
		return nil, nil, errFrame
	}
	frame = frame[used:]
	indices = make([]uint32, count)
	next := uint64(0)
	for k := range indices {
		gap, used := binary.Uvarint(frame)
		if used <= 0 || gap >= uint64(n)-next {
			return nil, nil, errFrame
		}
		indices[k] = uint32(next + gap)
		next += gap + 1
		frame = frame[used:]
	}
	return indices, frame, nil
}

// AppendAt appends the differences of x to base at some elements, two bytes each.
func AppendAt(dst []byte, x, base []float32, indices []uint32) []byte {
	for _, i := range indices {
		dst = binary.LittleEndian.AppendUint16(dst, toBF16(x[i]-base[i]))
	}
	return dst
}

// DecodeAt returns base moved by the differences of a frame at some elements.
func DecodeAt(frame []byte, base []float32, indices []uint32) ([]float32, error) {
	if len(frame) != 2*len(indices) {
		return nil, errFrame
	}
	x := Clone(base)
	for k, i := range indices {
		x[i] += fromBF16(binary.LittleEndian.Uint16(frame[2*k:]))
	}
	return finite(x)
}

// AppendPart appends the values of a range as they are.
func AppendPart(dst []byte, x []float32, r Range) []byte {
	for _, v := range x[r.Lo:r.Hi] {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	}
	return dst
}

// DecodePart returns base with the values of a frame in a range.
func DecodePart(frame []byte, base []float32, r Range) ([]float32, error) {
	if r.Lo < 0 || r.Hi > len(base) || r.Lo > r.Hi || len(frame) != 4*(r.Hi-r.Lo) {
		return nil, errFrame
	}
	x := Clone(base)
	for i := r.Lo; i < r.Hi; i++ {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(frame[4*(i-r.Lo):]))
	}
	return finite(x)
}
