// Package estimate answers from a model of costs, without a simulation, how the time of a round and the
// throughput of a network grow with the number of its peers, and which graphs suit a law of compute times. See
// docs/ESTIMATE.md for the equations and how far they are from the simulator.
package estimate

import "math"

// spread is a distribution of times in seconds: mass[k] is the probability of from + k*step.
type spread struct {
	from, step float64
	mass       []float64
}

// bins is how many steps a spread has: enough for means within a thousandth.
const bins = 1200

// always is a time that does not vary.
func always(t float64) spread { return spread{from: t, step: 1, mass: []float64{1}} }

// spreadOf is the spread with a distribution function between two times. It keeps the mean: the mass of a
// point is how much the mean of the function over the step after it exceeds that over the step before.
func spreadOf(low, high float64, below func(float64) float64) spread {
	return spreadIn(bins, low, high, below)
}

// spreadIn is spreadOf in so many steps.
func spreadIn(steps int, low, high float64, below func(float64) float64) spread {
	if !(high > low) {
		return always(low)
	}
	s := spread{from: low, step: (high - low) / float64(steps), mass: make([]float64, steps+1)}
	last := 0.0
	for k := range s.mass {
		mean := 1.0
		if k < steps {
			mean = below(low + (float64(k)+0.5)*s.step)
		}
		s.mass[k] = max(0, mean-last)
		last = max(last, mean)
	}
	return s
}

func (s spread) to() float64 { return s.from + float64(len(s.mass)-1)*s.step }

func (s spread) mean() float64 {
	sum := 0.0
	for k, m := range s.mass {
		sum += float64(m * float64(k))
	}
	return s.from + s.step*sum
}

// later is the spread after a fixed time.
func (s spread) later(t float64) spread {
	s.from += t
	return s
}

// times is the spread stretched around zero.
func (s spread) times(factor float64) spread {
	if factor == 0 {
		return always(0)
	}
	s.from *= factor
	s.step *= factor
	return s
}

// below returns the distribution function of the spread, which rises linearly between its points.
func (s spread) below() func(float64) float64 {
	if len(s.mass) == 1 {
		return func(t float64) float64 {
			if t < s.from {
				return 0
			}
			return 1
		}
	}
	sums := make([]float64, len(s.mass)+1)
	for k, m := range s.mass {
		sums[k+1] = sums[k] + m
	}
	return func(t float64) float64 {
		at := (t-s.from)/s.step + 0.5
		k := math.Floor(at)
		switch {
		case k < 0:
			return 0
		case int(k) >= len(s.mass):
			return 1
		}
		return sums[int(k)] + float64((at-k)*s.mass[int(k)])
	}
}

// onto puts the mass on points a step apart, each on the two nearest, so that the mean stays.
func (s spread) onto(step float64) spread {
	n := int(math.Ceil((s.to()-s.from)/step)) + 2
	out := spread{from: s.from, step: step, mass: make([]float64, n)}
	for k, m := range s.mass {
		at := float64(k) * s.step / step
		low := math.Floor(at)
		out.mass[int(low)] += m * (1 - (at - low))
		out.mass[int(low)+1] += m * (at - low)
	}
	return out
}

// plus is the spread of the sum of two independent times.
func (s spread) plus(other spread) spread {
	if len(other.mass) == 1 {
		return s.later(other.from)
	}
	if len(s.mass) == 1 {
		return other.later(s.from)
	}
	step := (s.to() - s.from + other.to() - other.from) / bins
	a, b := s.onto(step), other.onto(step)
	out := spread{from: a.from + b.from, step: step, mass: make([]float64, len(a.mass)+len(b.mass)-1)}
	for i, m := range a.mass {
		if m == 0 {
			continue
		}
		for j, w := range b.mass {
			out.mass[i+j] += m * w
		}
	}
	return out.trimmed()
}

// negligible is a probability that moves no mean by a thousandth.
const negligible = 1e-9

// repeated is the spread of the sum of so many independent times.
func (s spread) repeated(times int) spread {
	if len(s.mass) == 1 {
		return always(s.from * float64(times))
	}
	sum := always(0)
	for ; times > 0; times /= 2 {
		if times%2 == 1 {
			sum = sum.plus(s)
		}
		if times > 1 {
			s = s.plus(s)
		}
	}
	return sum
}

// slowestOf is the spread of the largest of independent times, each as often as its count says. A count need
// not be whole: half a neighbour is one that half of the peers have.
func slowestOf(all ...several) spread {
	low, high := math.Inf(-1), math.Inf(-1)
	for i, a := range all {
		all[i].below = a.of.below()
		if a.count >= 1 {
			low = max(low, a.of.from)
		}
		if a.count > 0 {
			high = max(high, a.of.to())
		}
	}
	if math.IsInf(low, -1) {
		low = all[0].of.from
	}
	return spreadOf(low, max(low, high), func(t float64) float64 {
		product := 1.0
		for _, a := range all {
			product *= math.Pow(a.below(t), a.count)
		}
		return product
	}).trimmed()
}

// several independent times with the same spread.
type several struct {
	of    spread
	count float64
	below func(float64) float64
}

// trimmed leaves out the ends that have hardly any mass.
func (s spread) trimmed() spread {
	first, last := 0, len(s.mass)-1
	for left := s.mass[first]; left < negligible && first < last; left += s.mass[first] {
		first++
	}
	for left := s.mass[last]; left < negligible && last > first; left += s.mass[last] {
		last--
	}
	s.from += float64(first) * s.step
	s.mass = s.mass[first : last+1]
	return s
}

// atLeast is the spread with no time below a bound.
func (s spread) atLeast(bound float64) spread {
	if bound <= s.from {
		return s
	}
	if bound >= s.to() {
		return always(bound)
	}
	below := s.below()
	return spreadOf(bound, s.to(), below)
}

// atMost is the spread with no time above a bound.
func (s spread) atMost(bound float64) spread {
	if bound >= s.to() {
		return s
	}
	if bound <= s.from {
		return always(bound)
	}
	return spreadOf(s.from, bound, s.below())
}

// left is the distribution function of what is left of a time of this spread at a random moment, when
// such times follow one another: its density is the share of the times that are longer, over their mean
// (the law of residual life of renewal theory).
func (s spread) left() func(float64) float64 {
	mean, below := s.mean(), s.below()
	sums := make([]float64, bins+1)
	step := s.to() / bins
	for k := range bins {
		sums[k+1] = sums[k] + step*(1-below((float64(k)+0.5)*step))
	}
	return func(t float64) float64 {
		at := t / step
		k := int(at)
		switch {
		case t <= 0:
			return 0
		case k >= bins:
			return 1
		}
		return min(1, (sums[k]+(at-float64(k))*(sums[k+1]-sums[k]))/mean)
	}
}

// mixtureOf is the spread of a time that is one of several, each with its count as probability.
func mixtureOf(all []several) spread {
	low, high := math.Inf(1), 0.0
	for i, a := range all {
		all[i].below = a.of.below()
		low, high = min(low, a.of.from), max(high, a.of.to())
	}
	return spreadOf(low, high, func(t float64) float64 {
		sum := 0.0
		for _, a := range all {
			sum += a.count * a.below(t)
		}
		return sum
	}).trimmed()
}
