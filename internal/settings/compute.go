package settings

import (
	"fmt"

	"github.com/starling-ml/starling/train/pace"
)

// Compute is how long the local steps of a peer take, where that is not left to its processor.
type Compute struct {
	// Step is the time of a normal step: a time, or a multiple of the default one, such as 10x; 0: the
	// default one.
	Step Span `yaml:"step,omitempty"`
	// Law of the times: constant, exponential, shifted, occasional or trace.
	Law Law `yaml:"law,omitempty"`
	// Jitter spreads the steps of a constant or occasional law evenly, by this share up and down.
	Jitter Percent `yaml:"jitter,omitempty"`
	// Fixed is the part of a shifted step that is always the same, in steps.
	Fixed Factor `yaml:"fixed,omitempty"`
	// Tail is the mean of the exponential part of a shifted step, in steps.
	Tail Factor `yaml:"tail,omitempty"`
	// Probability is the share of occasional steps that take Times as long.
	Probability Percent `yaml:"probability,omitempty"`
	// Times is how many times longer an occasional slow step takes.
	Times Factor `yaml:"times,omitempty"`
	// Trace holds measured quantiles as pairs of probability and time, from 0 to 1, in any unit of time;
	// by default a trace of a Spark cluster.
	Trace [][]float64 `yaml:"trace,omitempty"`
}

// Law is the name of a law of compute times.
type Law string

// Choices lists the laws.
func (Law) Choices() []string { return pace.Kinds() }

// Pace is the law as train/pace reads it. A step that is a multiple is one of base, the default.
func (c Compute) Pace(base Duration) (pace.Law, error) {
	law := pace.Law{
		Kind: string(c.Law), Step: c.Step.Duration.Std(), Factor: 1, Jitter: float64(c.Jitter),
		Fixed: float64(c.Fixed), Tail: float64(c.Tail),
		Probability: float64(c.Probability), Times: float64(c.Times),
	}
	switch {
	case c.Step.Factor > 0:
		law.Step, law.Factor = base.Std(), c.Step.Factor
	case c.Step.IsZero():
		law.Step = base.Std()
	}
	for i, pair := range c.Trace {
		if len(pair) != 2 {
			return law, fmt.Errorf("trace[%d] has %d numbers; give a probability and a time", i, len(pair))
		}
		law.Trace = append(law.Trace, pace.Quantile{At: pair[0], Value: pair[1]})
	}
	return law, law.Validate()
}

// Check reports what is no law.
func (c Compute) Check(d *Document, path string, base Duration) {
	_, err := c.Pace(base)
	d.Check(path, err)
}
