package vec

import (
	"errors"
	"fmt"
)

// Codec says how a vector is written in fewer bytes. The zero value writes float32 values as they are.
type Codec struct {
	Kind   CodecKind
	Block  int     // int8: values that share a scale; 0: 256
	Keep   float64 // top-k, slim: share of the values that is sent; 0: 0.2
	Random float64 // slim: share of Keep that is drawn at random; 0: 0.25
	Parts  int     // block: number of fragments, one of which is sent at a time; 0: 4
}

// CodecKind names a codec.
type CodecKind string

// Codecs. Dense and BF16 write the values themselves, the others the difference to a reference that both
// ends hold; Fragment writes one part of the values. Auto is Dense or Int8, whichever the sender finds better.
const (
	Dense    CodecKind = ""
	BF16     CodecKind = "bf16"
	Int8     CodecKind = "int8"
	TopK     CodecKind = "top-k"
	Slim     CodecKind = "slim"
	Fragment CodecKind = "block"
	Auto     CodecKind = "auto"
)

// WithDefaults returns the codec with the parameters that its kind reads filled in.
func (c Codec) WithDefaults() Codec {
	switch c.Kind {
	case Int8, Auto:
		setDefault(&c.Block, 256)
	case TopK:
		setDefault(&c.Keep, 0.2)
	case Slim:
		setDefault(&c.Keep, 0.2)
		setDefault(&c.Random, 0.25)
	case Fragment:
		setDefault(&c.Parts, 4)
	}
	return c
}

func setDefault[T int | float64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// Check returns what is wrong with the codec, or nil.
func (c Codec) Check() error {
	switch c.Kind {
	case Dense, BF16, Int8, TopK, Slim, Fragment, Auto:
	default:
		return fmt.Errorf("kind %q is unknown: use bf16, int8, top-k, slim, block or auto", c.Kind)
	}
	switch {
	case c.Block < 0:
		return fmt.Errorf("block %d: give a number of values", c.Block)
	case !(c.Keep >= 0 && c.Keep <= 1):
		return fmt.Errorf("keep %v: give a share between 0 and 1", c.Keep)
	case !(c.Random >= 0 && c.Random <= 1):
		return fmt.Errorf("random %v: give a share between 0 and 1", c.Random)
	case c.Parts < 0:
		return fmt.Errorf("parts %d: give a number of fragments", c.Parts)
	}
	return nil
}

// errFrame is what decoders say of a frame that no encoder wrote.
var errFrame = errors.New("vec: frame of another length or form")
