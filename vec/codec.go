package vec

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
// ends hold; Fragment writes one part of the values.
const (
	Dense    CodecKind = ""
	BF16     CodecKind = "bf16"
	Int8     CodecKind = "int8"
	TopK     CodecKind = "top-k"
	Slim     CodecKind = "slim"
	Fragment CodecKind = "block"
)
