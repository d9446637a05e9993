package consensus

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/vec"
)

// shield bears hostile neighbours: it changes what estimates weigh in a mix, by how far they are from this
// peer's own. What is taken off an estimate stays with the peer itself. Of b attackers that it bears at
// least 2b+1 estimates must be mixed; where there are fewer, nobody is believed and the estimate stays.
//
// Distances are over all parameters, because an attacker would hide in those that are left out.
type shield struct {
	rule      Robust
	attackers int
	lengths   []float64 // of the differences to this peer's estimate, by place in the mix
	order     []int     // places, the nearest first
}

// least returns how many estimates a mix needs.
func (o Options) least() int {
	if o.Robust == "" {
		return 0
	}
	return 2*o.Attackers + 1
}

// resist changes the weights of the mix being made, and leaves out what weighs nothing.
func (s *shield) resist(m *Machine) {
	s.measure(m)
	count := len(m.mixed.inputs)
	scale := func(float64, int) float64 { return 0 }
	if count >= m.options.least() {
		scale = s.scale(count)
	}
	for rank, place := range s.order {
		w := float32(float64(m.mixed.weights[place]) * scale(s.lengths[place], rank))
		m.mixed.weights[place], m.mixed.used[place].Weight = w, w
	}
	if s.rule == Trim && count >= m.options.least() {
		for place := range m.mixed.used { // on the average over parameters
			m.mixed.used[place].Weight *= float32(count-2*s.attackers) / float32(count)
		}
	}
	m.mixed.compact()
}

// measure takes the lengths of the differences.
func (s *shield) measure(m *Machine) {
	s.lengths, s.order = s.lengths[:0], s.order[:0]
	for place, input := range m.mixed.inputs {
		s.lengths = append(s.lengths, vec.Distance(m.origin(), input))
		s.order = append(s.order, place)
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(s.lengths[a], s.lengths[b]) })
}

// scale returns what to multiply a weight by, from the length of the difference and its rank among them.
// Clip (Gaucher et al. 2025, 2410.10418) shortens the 2b longest to the next one. NNA (Allouah et al. 2023,
// 2302.01772) leaves out the b farthest. Trim looks at every parameter: see trimmed.
func (s *shield) scale(count int) func(length float64, rank int) float64 {
	switch s.rule {
	case Clip:
		longest := s.lengths[s.order[count-1-2*s.attackers]]
		return func(length float64, _ int) float64 {
			if length <= longest {
				return 1
			}
			return longest / length
		}
	case NNA:
		return func(_ float64, rank int) float64 {
			if rank < count-s.attackers {
				return 1
			}
			return 0
		}
	default:
		return func(float64, int) float64 { return 1 }
	}
}

// compact takes inputs out of a mix that weigh nothing. They stay among the sources.
func (m *mixture) compact() {
	kept := 0
	for i, w := range m.weights {
		if w > 0 {
			m.weights[kept], m.inputs[kept] = w, m.inputs[i]
			kept++
		}
	}
	clear(m.inputs[kept:])
	m.weights, m.inputs = m.weights[:kept], m.inputs[:kept]
}

// trimming is a mix in which the b largest and the b smallest values of every parameter are left out
// (BRIDGE-T, Yang and Bajwa 2019, 1908.08098).
type trimming struct {
	x       []float32
	weights []float32
	inputs  [][]float32
	b       int
}

// mix does the elements from lo to hi. Values are sorted with their weights; ties are in peer order.
func (t trimming) mix(dst []float32, lo, hi int) {
	values, weights := make([]float32, len(t.inputs)), make([]float32, len(t.inputs))
	for i := lo; i < hi; i++ {
		for j, input := range t.inputs {
			v, at := input[i], j
			for ; at > 0 && values[at-1] > v; at-- {
				values[at], weights[at] = values[at-1], weights[at-1]
			}
			values[at], weights[at] = v, t.weights[j]
		}
		sum := t.x[i]
		for j := t.b; j < len(values)-t.b; j++ {
			sum += float32(weights[j] * (values[j] - t.x[i]))
		}
		dst[i] = sum
	}
}

// middle returns the plain average of what is left when the extremes are trimmed, for a newcomer whose own
// estimate says nothing about whom to believe. Of too few inputs it is the median.
func (m *Machine) middle(inputs [][]float32) []float32 {
	b := min(m.shield.attackers, (len(inputs)-1)/2)
	weights := make([]float32, len(inputs))
	for i := range weights {
		weights[i] = 1 / float32(len(inputs)-2*b)
	}
	return m.trim(m.x, weights, inputs, b)
}

// trim returns x mixed with the inputs without their b extremes on either side, as a new vector.
func (m *Machine) trim(x, weights []float32, inputs [][]float32, b int) []float32 {
	dst := make([]float32, len(x))
	m.split(len(dst), func(lo, hi int) { trimming{x, weights, inputs, b}.mix(dst, lo, hi) })
	return dst
}

// robustPiece is what a robust rule asks of a recipe.
func robustPiece(o Options) socketPiece {
	return socketPiece{
		name: "robust " + string(o.Robust), needs: covered, clashes: conserved | pairs | agreed,
		why: "attackers answer first, so the rule must see all neighbours at once, and what it leaves out must " +
			"not be missing anywhere else",
		instead: "use recipe quorum with mix latest, pulse or dpsgd, or leave it out",
	}
}

// exposed lists why a robust rule would not hold.
func (o Options) exposed(g *topology.Graph) []error {
	var errs []error
	refuse := func(when bool, format string, args ...any) {
		if when {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(o.Robust == "" && o.Attackers > 0, "attackers %d without a rule: add robust clip, trim or nna", o.Attackers)
	if o.Robust == "" {
		return errs
	}
	refuse(o.Schedule.Kind != "", "robust %s with schedule %s: the mates of a round are too few to tell who is hostile; "+
		"leave one of them out", o.Robust, o.Schedule.Kind)
	refuse(o.Quorum > 0 && o.Quorum < o.least(), "quorum %d with %d attackers: they answer first; give %d or more, "+
		"or leave it out", o.Quorum, o.Attackers, o.least())
	if g == nil {
		return errs
	}
	fewest, who := math.MaxInt, 0
	for v := range g.N() {
		if d := g.Degree(v); d < fewest {
			fewest, who = d, v
		}
	}
	refuse(fewest < o.least(), "robust %s against %d attackers needs %d neighbours, and peer %d has %d: use a graph of "+
		"larger degree, or fewer attackers", o.Robust, o.Attackers, o.least(), who, fewest)
	return errs
}
