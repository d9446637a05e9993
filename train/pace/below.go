package pace

import "github.com/starling-ml/starling/vec"

// mostTail is a time in means of an exponential part that one step in 10^11 exceeds.
const mostTail = 25

// Range returns the shortest time of a step and the longest one that matters, in seconds: one step in 10^11
// of an unbounded law takes longer.
func (l Law) Range() (shortest, longest float64) {
	unit := l.unitSeconds()
	switch l.kind() {
	case "exponential":
		return 0, mostTail * unit
	case "shifted":
		return l.Fixed * unit, (l.Fixed + float64(l.Tail*mostTail)) * unit
	case "occasional":
		low, high := 1-l.Jitter, 1+l.Jitter
		if l.Probability == 0 {
			return low * unit, high * unit
		}
		return low * min(1, l.Times) * unit, high * max(1, l.Times) * unit
	case "trace":
		q := l.trace()
		return q[0].Value / mean(q) * unit, q[len(q)-1].Value / mean(q) * unit
	}
	return (1 - l.Jitter) * unit, (1 + l.Jitter) * unit
}

// Below returns the probability that a step takes at most so many seconds: the distribution function of
// what Clock.Next draws.
func (l Law) Below(seconds float64) float64 {
	t := seconds / l.unitSeconds()
	switch l.kind() {
	case "exponential":
		return belowExponential(t)
	case "shifted":
		if l.Tail == 0 {
			return belowEven(t/l.Fixed, 0)
		}
		return belowExponential((t - l.Fixed) / l.Tail)
	case "occasional":
		slow := belowEven(t/l.Times, l.Jitter)
		return float64((1-l.Probability)*belowEven(t, l.Jitter)) + float64(l.Probability*slow)
	case "trace":
		return belowTrace(l.trace(), t)
	}
	return belowEven(t, l.Jitter)
}

// unitSeconds is the time of a normal step of this peer in seconds.
func (l Law) unitSeconds() float64 {
	if l.Factor == 0 {
		return l.Step.Seconds()
	}
	return l.Step.Seconds() * l.Factor
}

func belowExponential(t float64) float64 {
	if t <= 0 {
		return 0
	}
	return 1 - vec.Exp(-t)
}

// belowEven is the distribution function of even.
func belowEven(t, jitter float64) float64 {
	switch {
	case t < 1-jitter:
		return 0
	case t >= 1+jitter:
		return 1
	}
	return (t - (1 - jitter)) / (2 * jitter)
}

// belowTrace inverts at.
func belowTrace(q []Quantile, t float64) float64 {
	t *= mean(q)
	for i := len(q) - 1; i > 0; i-- {
		low, high := q[i-1], q[i]
		switch {
		case t >= high.Value:
			return high.At
		case t >= low.Value:
			return low.At + float64((high.At-low.At)*(t-low.Value)/(high.Value-low.Value))
		}
	}
	return 0
}

// Mean returns the mean time of a step in seconds.
func (l Law) Mean() float64 {
	unit := l.unitSeconds()
	switch l.kind() {
	case "shifted":
		return (l.Fixed + l.Tail) * unit
	case "occasional":
		return (1 + float64(l.Probability*(l.Times-1))) * unit
	}
	return unit
}
