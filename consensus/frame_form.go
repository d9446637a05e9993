package consensus

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/vec"
)

// The first byte of a frame of slim says where the core set comes from.
const (
	oldCore byte = iota // from the version that the frame builds on
	newCore             // from the frame
)

// coreAge is how many frames build on one core set of slim. The paper's 20 let what is outside fall so far
// behind that gamma had to be half as large.
const coreAge = 8

var errForm = errors.New("consensus: frame that no encoder writes")

// encode writes an estimate on what it builds on, or no frame when it has to be sent whole.
func (f *framed) encode(m *Machine, e Estimate, base *version) ([]byte, *version) {
	whole := &version{seq: e.Seq, said: e.Params}
	if base == nil && f.codec.Kind != vec.BF16 {
		return nil, whole
	}
	x := e.Params
	var frame []byte
	switch f.codec.Kind {
	case vec.BF16:
		frame = vec.AppendBF16(nil, x)
	case vec.TopK:
		chosen := vec.Largest(x, base.said, share(f.codec.Keep, len(x)))
		frame = vec.AppendAt(vec.AppendIndices(nil, chosen), x, base.said, chosen)
	case vec.Slim:
		frame = f.encodeSlim(m, e, base)
	case vec.Fragment:
		turn := f.made.turn
		frame = vec.AppendPart(binary.AppendUvarint(nil, uint64(turn)), x, f.part(turn, len(x)))
	default:
		frame = vec.AppendInt8(nil, x, base.said, f.codec.Block)
	}
	v, err := f.decode(m, m.config.Self, Estimate{Seq: e.Seq, Frame: frame}, base)
	if err != nil { // training has gone beyond what floats hold: the other end will see
		return nil, whole
	}
	v.meant = x
	return frame, v
}

// decode reads a frame on what it builds on.
func (f *framed) decode(m *Machine, from Peer, e Estimate, base *version) (*version, error) {
	v := &version{seq: e.Seq}
	var err error
	switch f.codec.Kind {
	case vec.BF16:
		v.said, err = vec.DecodeBF16(e.Frame, len(m.x))
	case vec.TopK:
		var chosen []uint32
		var rest []byte
		if chosen, rest, err = vec.ReadIndices(e.Frame, len(m.x)); err == nil {
			v.said, err = vec.DecodeAt(rest, base.said, chosen)
		}
	case vec.Slim:
		err = f.decodeSlim(m, from, e, base, v)
	case vec.Fragment:
		err = f.decodePart(e.Frame, base, v)
	default:
		v.said, err = vec.DecodeInt8(e.Frame, base.said, f.codec.Block)
	}
	return v, err
}

// share returns how many of n values a share of them is, at least one.
func share(part float64, n int) int { return min(n, max(1, int(float64(part*float64(n))+0.5))) }

// encodeSlim writes a core set of values that differ most, whose indices are told once for many frames, and
// as many as chance chooses, whose indices both ends draw (Slim-DP, 1709.09393).
func (f *framed) encodeSlim(m *Machine, e Estimate, base *version) []byte {
	core, frame := base.core, []byte{oldCore}
	if core == nil || base.age >= coreAge {
		core = vec.Largest(e.Params, base.said, share(f.codec.Keep*(1-f.codec.Random), len(m.x)))
		frame = vec.AppendIndices([]byte{newCore}, core)
	}
	return vec.AppendAt(frame, e.Params, base.said, f.slimSet(m, m.config.Self, e.Seq, core))
}

func (f *framed) decodeSlim(m *Machine, from Peer, e Estimate, base, v *version) error {
	if len(e.Frame) == 0 {
		return errForm
	}
	rest := e.Frame[1:]
	v.core, v.age = base.core, base.age+1
	switch {
	case e.Frame[0] == newCore:
		var err error
		if v.core, rest, err = vec.ReadIndices(rest, len(m.x)); err != nil {
			return err
		}
		v.age = 1
	case e.Frame[0] != oldCore || base.core == nil:
		return errForm
	}
	var err error
	v.said, err = vec.DecodeAt(rest, base.said, f.slimSet(m, from, e.Seq, v.core))
	return err
}

// slimSet returns the core set and what chance adds in one publish of a peer: one value out of each of as
// many stretches of equal length. Both ends draw the same.
func (f *framed) slimSet(m *Machine, from Peer, seq uint64, core []uint32) []uint32 {
	n := len(m.x)
	count := share(f.codec.Keep*f.codec.Random, n)
	stream := seed.Stream(seq, "slim", string(from))
	set := slices.Clone(core)
	for k := range count {
		lo, hi := k*n/count, (k+1)*n/count
		set = append(set, uint32(lo+stream.IntN(hi-lo)))
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// decodePart reads one fragment; the others stay as they are.
func (f *framed) decodePart(frame []byte, base, v *version) error {
	part, used := binary.Uvarint(frame)
	if used <= 0 || part >= uint64(f.codec.Parts) {
		return errForm
	}
	var err error
	v.said, err = vec.DecodePart(frame[used:], base.said, f.part(int(part), len(base.said)))
	return err
}

// part returns the range of one of the fragments.
func (f *framed) part(part, n int) vec.Range {
	return vec.Range{Lo: part * n / f.codec.Parts, Hi: (part + 1) * n / f.codec.Parts}
}
