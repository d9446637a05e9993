package consensus

import "github.com/starling-ml/starling/vec"

// tracker is gradient tracking without rounds (R-FAST, Zhu et al. 2023, 2307.11617). A block is not added to
// the estimate: it measures which way this peer's data pull. What the peer moves by is its share z of the
// pulls of all:
//
//	z += what came + D - D of the last block;  x += z;  give w_ij z to every neighbour, keep the rest
//	x += sum_j w_ij (rep_j - x)
//
// All z and everything on the way add up to the sum of all last D, whoever is slow and whatever is lost, because
// ledgers carry it. At the optimum that sum is nothing, so it is exact.
//
// What a link or a peer takes with it when it fails is missing from that sum. Whoever notices starts a new
// generation: z is this peer's own D again, and the ledgers are empty. The highest generation counts; it
// travels as the weight of estimates, which has no other meaning here.
type tracker struct {
	plain
	latest
	generation uint64
	z, last    []float32 // nil: nothing yet
}

func (*tracker) steps(m *Machine) int { return m.pace.steps }

func (t *tracker) apply(m *Machine, done Trained) {
	d := difference(1, m.block.snapshot, done.Params)
	z := plus(t.z, d)
	if t.last != nil {
		z = add(z, -1, t.last)
	}
	t.last = d
	degree, keep := m.view.live(), 1.0
	for _, n := range m.view.neighbours {
		if !n.live {
			continue
		}
		w := metropolis(degree, n.degree)
		keep -= w
		n.ledger.give(m.seq+1, scaled(float32(w), z), 0)
	}
	t.z = scaled(float32(keep), z)
	m.x = add(m.x, 1, z)
}

func scaled(by float32, x []float32) []float32 {
	y := make([]float32, len(x))
	vec.Axpy(y, by, x)
	return y
}

func (t *tracker) frame(m *Machine, n *neighbour) (Estimate, bool) {
	e := n.ledger.write(m.last)
	e.Weight = float64(t.generation)
	return e, true
}

// read counts what a neighbour gives. Its estimate is mixed whatever becomes of that.
func (t *tracker) read(m *Machine, n *neighbour, e Estimate) (Estimate, string) {
	generation := uint64(min(e.Weight, mostGenerations))
	e.Weight = 0
	if generation > t.generation {
		t.renew(m, generation)
	}
	if generation == t.generation && (e.Extra == nil || len(e.Extra) == len(m.x)) {
		if more, reason := n.ledger.take(e); reason == "" {
			t.z = plus(t.z, more.amount)
		}
	}
	return e, ""
}

// mostGenerations is more than a run can have, and exact in a float64.
const mostGenerations = 1 << 50

// renew begins a generation.
func (t *tracker) renew(m *Machine, generation uint64) {
	t.generation, t.z = generation, t.last
	for _, n := range m.view.neighbours {
		n.ledger = ledger{}
	}
}

func (t *tracker) rewired(m *Machine)            { t.renew(m, t.generation+1) }
func (t *tracker) lost(m *Machine, _ *neighbour) { t.renew(m, t.generation+1) }

func (*tracker) resolved(*Machine, *neighbour, uint64, bool) {}

func (t *tracker) save(s *State) {
	s.Restart = t.generation
	s.vector("tracker", t.z)
	s.vector("moved", t.last)
}

// load begins a generation if a link is down: the other end has forgotten its ledger.
func (t *tracker) load(m *Machine, s State) {
	t.generation, t.z, t.last = s.Restart, s.Vectors["tracker"], s.Vectors["moved"]
	for _, n := range m.view.neighbours {
		if !n.live {
			t.renew(m, t.generation+1)
		}
	}
}

func buildTracker(m *Machine) {
	t := &tracker{}
	m.replace = true
	m.rule, m.link, m.mix, m.wait = t, t, t, never{}
}
