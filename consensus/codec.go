package consensus

import (
	"fmt"

	"github.com/starling-ml/starling/vec"
)

// gamma returns the share of the way to the average that a mix goes.
func (m *Machine) gamma() float64 {
	if m.options.Gamma == 0 {
		return 1
	}
	return m.options.Gamma
}

// safeGamma returns a gamma that a codec bears. What has not been sent yet is missing from all mixes, so
// the less a frame carries of it, the smaller the steps have to be. The core set of slim is old.
func safeGamma(c vec.Codec) float64 {
	switch c.Kind {
	case vec.TopK:
		return min(1, 1.5*c.Keep)
	case vec.Slim:
		return 0.6 * c.Keep
	case vec.Fragment:
		return 1 / float64(c.Parts)
	default:
		return 1
	}
}

// mostGamma returns the largest gamma that is let through. Runs of ours with momentum 0.5 converged up to it
// and diverged at 1.3 times as much.
func mostGamma(c vec.Codec) float64 { return min(1, 1.5*safeGamma(c)) }

// defaultCodec fills in what belongs to a codec.
func defaultCodec(o *Options) {
	if o.Codec.Kind == vec.Dense || o.Codec.Check() != nil {
		return
	}
	o.Codec = o.Codec.WithDefaults()
	setDefault(&o.Gamma, safeGamma(o.Codec))
}

// codecPiece is what a codec asks of a recipe.
func codecPiece(o Options) socketPiece {
	return socketPiece{
		name: "codec " + string(o.Codec.Kind), gives: lossyFrames, clashes: conserved,
		why:     "sums that must not change need every bit of what is sent",
		instead: "use recipe pulse, quorum, choco or dpsgd, or leave it out",
	}
}

// gammaPiece is what a gamma below 1 asks of a recipe.
func gammaPiece() socketPiece {
	return socketPiece{
		name: "gamma", clashes: pairs | conserved,
		why:     "both ends of a pair move halfway, and sums go over as a whole",
		instead: "use recipe pulse, quorum or dpsgd, or leave it out",
	}
}

// undersent returns why a codec would not work.
func (o Options) undersent() error {
	if err := o.Codec.Check(); err != nil {
		return fmt.Errorf("codec: %w", err)
	}
	c := o.Codec.WithDefaults()
	if most := mostGamma(c); o.Gamma > most {
		return fmt.Errorf("gamma %.4g with codec %s: mixing outruns what the frames carry and the peers diverge; "+
			"give %.3g, or leave it out", o.Gamma, c.Kind, safeGamma(c))
	}
	return nil
}
