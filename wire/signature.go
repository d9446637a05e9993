package wire

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Float32 is the data type of all parameters exchanged today.
const Float32 = "float32"

// Tensor is one named tensor of a model.
type Tensor struct {
	Name  string
	Shape []int
	DType string // empty means Float32
}

// Size returns the number of elements, 1 for a scalar, and -1 when a dimension is not positive or
// the product does not fit.
func (t Tensor) Size() int {
	size := 1
	for _, dim := range t.Shape {
		if dim <= 0 || size > math.MaxInt32/dim {
			return -1
		}
		size *= dim
	}
	return size
}

// String returns the tensor as `"fc.weight" is [10, 128]`, with the type when it is not Float32.
func (t Tensor) String() string {
	text := fmt.Sprintf("%q is %s", t.Name, strings.ReplaceAll(fmt.Sprint(t.Shape), " ", ", "))
	if t.dtype() != Float32 {
		text += " " + t.DType
	}
	return text
}

func (t Tensor) dtype() string {
	if t.DType == "" {
		return Float32
	}
	return t.DType
}

func (t Tensor) equal(other Tensor) bool {
	return t.Name == other.Name && t.dtype() == other.dtype() && slices.Equal(t.Shape, other.Shape)
}

// Signature is what makes two models exchangeable: names, shapes and types of the tensors, in the
// order in which they lie in the flat parameter vector.
type Signature []Tensor

// Params returns the length of the flat parameter vector, or -1 when a tensor has no valid size.
func (s Signature) Params() int {
	total := 0
	for _, t := range s {
		size := t.Size()
		if size < 0 {
			return -1
		}
		total += size
	}
	return total
}

// Hash names the signature: equal signatures, and only they, have equal hashes.
func (s Signature) Hash() Hash {
	e := encoder{bytes: []byte("starling model\x00")}
	e.signature(s)
	return shorten(sha256.Sum256(e.bytes))
}

// Diff tells a person the first difference between the model here and the one there; empty when
// they are equal.
func Diff(here, there Signature) string {
	for i := range min(len(here), len(there)) {
		if !here[i].equal(there[i]) {
			return diffTensor(i, here[i], there[i])
		}
	}
	switch {
	case len(here) > len(there):
		return fmt.Sprintf("layer %d %s here and missing there", len(there), here[len(there)])
	case len(there) > len(here):
		return fmt.Sprintf("layer %d %s there and missing here", len(here), there[len(here)])
	}
	return ""
}

func diffTensor(layer int, here, there Tensor) string {
	there.DType = there.dtype()
	if here.Name != there.Name {
		return fmt.Sprintf("layer %d is %q here and %q there", layer, here.Name, there.Name)
	}
	if slices.Equal(here.Shape, there.Shape) {
		return fmt.Sprintf("layer %d %q is %s here and %s there", layer, here.Name, here.dtype(), there.dtype())
	}
	_, shape, _ := strings.Cut(there.String(), " is ")
	return fmt.Sprintf("layer %d %s here and %s there", layer, here, shape)
}
