package wire

import "math"

// hello appends a hello. Software and Name come first in every version; see the package comment.
func (e *encoder) hello(h Hello) {
	e.text(h.Software, MaxName)
	e.text(h.Name, MaxName)
	e.text(h.RunName, MaxName)
	e.text(h.Recipe, MaxText)
	e.hash(h.Initial)
	e.u64(h.Epoch)
	e.signature(h.Signature)
}

func (e *encoder) signature(s Signature) {
	e.count(len(s), MaxTensors, "tensors")
	for _, t := range s {
		e.tensor(t)
	}
}

func (e *encoder) tensor(t Tensor) {
	if t.Size() < 0 {
		e.fail(Size, "tensor %s: dimensions are 1 or more and hold at most 2^31 elements", t)
	}
	e.text(t.Name, MaxText)
	e.text(t.dtype(), MaxName)
	e.count(len(t.Shape), MaxDims, "dimensions")
	for _, dim := range t.Shape {
		e.u32(uint32(min(max(dim, 0), math.MaxInt32)))
	}
}

// hello reads a hello. Of another version it reads only what every version has.
func (d *decoder) hello(version uint8) Hello {
	h := Hello{Version: version, Software: d.text(MaxName), Name: d.text(MaxName)}
	if version != Version {
		d.rest()
		return h
	}
	h.RunName, h.Recipe = d.text(MaxName), d.text(MaxText)
	h.Initial, h.Epoch = d.hash(), d.u64()
	h.Signature = d.signature()
	return h
}

func (d *decoder) signature() Signature {
	n := d.count(MaxTensors, "tensors")
	var s Signature
	for range n {
		if d.err != nil {
			break
		}
		s = append(s, d.tensor())
	}
	return s
}

func (d *decoder) tensor() Tensor {
	t := Tensor{Name: d.text(MaxText), DType: d.text(MaxName)}
	for range d.count(MaxDims, "dimensions") {
		t.Shape = append(t.Shape, int(d.u32()))
	}
	if d.err == nil && t.Size() < 0 {
		d.fail(Size, "tensor %s: dimensions are 1 or more and hold at most 2^31 elements", t)
	}
	return t
}
