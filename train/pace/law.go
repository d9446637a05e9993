// Package pace says how long local steps take: the laws by which testnets make peers slow, in virtual
// and in real time.
package pace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/starling-ml/starling/train/draw"
)

// Law is the distribution of the time of one local step. Every kind is in units of Step.
type Law struct {
	// Kind is constant (also ""), exponential, shifted, occasional or trace.
	Kind string
	// Step is the time of a normal step.
	Step time.Duration
	// Factor makes every step longer: 10 is ten times slower; 0 counts as 1.
	Factor float64
	// Jitter spreads steps of a constant or occasional law evenly over 1 +- Jitter.
	Jitter float64
	// Fixed and Tail are shifted: a step takes Fixed + Tail * Exp(1).
	Fixed, Tail float64
	// Probability and Times are occasional: that share of the steps takes Times as long.
	Probability, Times float64
	// Trace is the piecewise linear quantile function of trace, scaled to mean 1; nil: Spark.
	Trace []Quantile
}

// Quantile says that a step takes Value or less with probability At.
type Quantile struct{ At, Value float64 }

// Kinds lists the values of Law.Kind.
func Kinds() []string { return []string{"constant", "exponential", "shifted", "occasional", "trace"} }

// Spark are quantiles, in milliseconds, of 100 task times of gradient descent on a Spark cluster: the
// trace of Neglia, Calbi, Towsley and Vardoyan (INFOCOM 2019). Its slowest steps take three times the
// mean.
func Spark() []Quantile {
	return []Quantile{
		{0, 663}, {.10, 726}, {.25, 756}, {.50, 831}, {.75, 1054}, {.90, 1228}, {.95, 1360}, {.99, 2802}, {1, 2802},
	}
}

// Limits that keep the time of a step far from the ends of a time.Duration, and a simulated clock going.
const (
	minStep   = time.Microsecond
	maxStep   = 24 * time.Hour
	maxFactor = 10_000
)

// Validate checks that a normal step takes a microsecond to a day; factors in 0 to 10,000; 0 <= Jitter <= 1 and
// 0 <= Probability <= 1; and that a trace rises from At 0 to At 1 and never falls.
func (l Law) Validate() error {
	if !slices.Contains(Kinds(), l.kind()) {
		return fmt.Errorf("unknown law of compute time %q: known are %s", l.Kind, strings.Join(Kinds(), ", "))
	}
	if l.Step < minStep || l.Step > maxStep {
		return fmt.Errorf("step time %v: must be at least %v and at most %v", l.Step, minStep, maxStep)
	}
	for _, f := range []struct {
		name        string
		value, most float64
	}{
		{"factor", l.Factor, maxFactor},
		{"jitter", l.Jitter, 1},
		{"fixed part", l.Fixed, maxFactor},
		{"tail", l.Tail, maxFactor},
		{"probability", l.Probability, 1},
		{"times", l.Times, maxFactor},
	} {
		if !(f.value >= 0 && f.value <= f.most) {
			return fmt.Errorf("%s %g of a step time: must be in 0 to %g", f.name, f.value, f.most)
		}
	}
	switch {
	case l.Factor > 0 && float64(l.Step)*l.Factor < float64(minStep):
		return fmt.Errorf("factor %g of a step time of %v: a step must take at least %v", l.Factor, l.Step, minStep)
	case l.kind() == "shifted" && l.Fixed+l.Tail == 0:
		return fmt.Errorf("law shifted: set the fixed part or the tail, for example 0.8 and 0.2")
	case l.kind() == "occasional" && l.Times == 0:
		return fmt.Errorf("law occasional: set how many times longer such a step takes, for example 10")
	case l.kind() == "trace":
		return validTrace(l.trace())
	}
	return nil
}

func validTrace(q []Quantile) error {
	if len(q) < 2 || q[0].At != 0 || q[len(q)-1].At != 1 {
		return fmt.Errorf("trace of %d quantiles: must go from 0 to 1", len(q))
	}
	for i, k := range q {
		if !(k.Value > 0) || math.IsInf(k.Value, 0) {
			return fmt.Errorf("trace quantile %g: value %g must be above 0", k.At, k.Value)
		}
		if i > 0 && (!(k.At > q[i-1].At) || k.Value < q[i-1].Value) {
			return fmt.Errorf("trace quantile %g: quantiles must rise and values never fall", k.At)
		}
	}
	return nil
}

func (l Law) kind() string {
	if l.Kind == "" {
		return "constant"
	}
	return l.Kind
}

func (l Law) trace() []Quantile {
	if l.Trace == nil {
		return Spark()
	}
	return l.Trace
}

// unit draws the time of one step, without Factor, in units of Step.
func (l Law) unit(r *rand.Rand) float64 {
	switch l.kind() {
	case "exponential":
		return draw.Exponential(r)
	case "shifted":
		return l.Fixed + float64(l.Tail*draw.Exponential(r))
	case "occasional":
		t := l.even(r)
		if r.Float64() < l.Probability {
			t *= l.Times
		}
		return t
	case "trace":
		return at(l.trace(), r.Float64())
	}
	return l.even(r)
}

// even spreads steps over 1 +- Jitter.
func (l Law) even(r *rand.Rand) float64 {
	return 1 + float64(l.Jitter*(float64(2*float64(r.Float64()))-1))
}

// at returns the value of a quantile function at u, divided by its mean.
func at(q []Quantile, u float64) float64 {
	i := 1
	for u > q[i].At {
		i++
	}
	part := (u - q[i-1].At) / (q[i].At - q[i-1].At)
	return (q[i-1].Value + float64(part*(q[i].Value-q[i-1].Value))) / mean(q)
}

// mean returns the mean of a piecewise linear law.
func mean(q []Quantile) float64 {
	sum := 0.0
	for i := 1; i < len(q); i++ {
		sum += float64((q[i].At - q[i-1].At) * (q[i].Value + q[i-1].Value) / 2)
	}
	return sum
}
