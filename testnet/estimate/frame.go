package estimate

import (
	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/vec"
)

// frameBytes is the size of an estimate on the wire: whole is that of dense parameters.
func frameBytes(whole, params int, o consensus.Options) float64 {
	rest, p := float64(whole-4*params), float64(params)
	c := o.Codec.WithDefaults()
	payload := 4 * p
	switch c.Kind {
	case vec.BF16:
		payload = 2 * p
	case vec.Int8:
		payload = p + 4*float64((params+c.Block-1)/c.Block)
	case vec.TopK:
		payload = 3 * c.Keep * p // an index and a value
	case vec.Slim:
		payload = 2*c.Keep*p + c.Keep*c.Random*p // the core needs no indices
	case vec.Fragment:
		payload = 4 * p / float64(c.Parts)
	}
	if o.Recipe == "gt" || o.Recipe == "sgp" {
		payload += 4 * p // what was done, or the sum that is given, goes along
	}
	return rest + payload
}
