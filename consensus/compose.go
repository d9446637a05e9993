package consensus

import (
	"fmt"

	"github.com/starling-ml/starling/topology"
)

// Composition is a complete set of options and what is worth knowing about it.
type Composition struct {
	Options  Options
	Warnings []Warning
}

// Warning is advice about a composition that runs.
type Warning struct {
	ID   string
	Text string
}

// Compose completes options and refuses sets that are known not to converge.
func Compose(o Options, g *topology.Graph) (Composition, error) {
	if o.Recipe == "" {
		o.Recipe = "pulse"
	}
	if _, ok := recipes[o.Recipe]; !ok {
		return Composition{}, fmt.Errorf("recipe %q is unknown", o.Recipe)
	}
	if o.Weights == "" {
		o.Weights = InverseAge
	}
	if o.Fraction == 0 {
		o.Fraction = 0.75
	}
	if o.Late == "" {
		o.Late = Skip
	}
	if o.Mix == "" {
		o.Mix = Latest
		if o.Recipe == "backup" || o.Recipe == "dybw" {
			o.Mix = Mutual
		}
	}
	o.Pulse = completePulse(o.Pulse)
	return Composition{Options: o}, nil
}

// completePulse fills in the constants of pulse; the given ones are not written.
func completePulse(given *PulseOptions) *PulseOptions {
	var p PulseOptions
	if given != nil {
		p = *given
	}
	if p.MaxPieces == 0 {
		p.MaxPieces = 8
	}
	return &p
}
