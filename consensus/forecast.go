package consensus

import "slices"

// forecast is the rule and the wait of recipes that choose in every round how many neighbours to wait for: so many
// that what the mix is worth, divided by the time until then, is largest.
//
// Times are forecast from the last ones between two estimates of each neighbour: order statistics of what was
// observed, because a fitted normal law fails for peers that are sometimes slow. A neighbour whose estimate was not
// waited for is observed when that comes, and one that is silent is known to take longer than it has been silent
// for; without both, stragglers would look fast and the number would go down and down.
type forecast struct {
	plain
	value func(m *Machine, heard int) float64 // of a mix with new estimates of so many neighbours

	need  int
	until Time // when the plan is made again, because what it waits for is overdue
}

// arrivals are the last times between two estimates of a neighbour.
type arrivals struct {
	some  bool
	last  Time       // of an estimate
	times []Duration // oldest first
}

// memory is the number of times that are remembered (the window l of 1803.04209).
const memory = 20

func (a *arrivals) note(now Time) {
	if a.some {
		a.times = push(a.times, Duration(now-a.last), memory)
	}
	a.some, a.last = true, now
}

func (a *arrivals) save() *HeardState {
	if !a.some {
		return nil
	}
	return &HeardState{a.last, a.times}
}

// push returns a list of at most so many elements with one more at its end.
func push[T any](list []T, x T, most int) []T {
	return append(slices.Clone(list[max(0, len(list)+1-most):]), x)
}

// remaining lists in how many ways the next estimate may come: the time from now on for each time that was longer
// than the present silence. Silence that is longer than all of them is expected to last as long again.
func (a *arrivals) remaining(now Time) []Duration {
	silent := Duration(now - a.last)
	var left []Duration
	for _, t := range a.times {
		if t > silent {
			left = append(left, t-silent)
		}
	}
	if left == nil {
		left = []Duration{silent}
	}
	return left
}

// hear takes the time at which a new estimate comes.
func (f *forecast) hear(m *Machine, from *neighbour, message Message) string {
	reason := f.plain.hear(m, from, message)
	if reason == "" {
		from.arrivals.note(m.now)
	}
	return reason
}

func (f *forecast) begin(m *Machine) { f.plan(m) }

func (f *forecast) open(m *Machine) bool {
	if m.now >= f.until {
		f.plan(m)
	}
	fresh, live := 0, m.view.live()
	for _, n := range m.view.neighbours {
		if n.live && n.fresh() {
			fresh++
		}
	}
	return fresh >= min(max(f.need, m.options.least()), live) || m.overdue()
}

func (f *forecast) wake(m *Machine) Time { return min(f.until, m.overdueAt()) }

// plan chooses for how many neighbours to wait from now on. As long as less than half of them are known it is half.
func (f *forecast) plan(m *Machine) {
	spent := Duration(m.now - m.block.began)
	times := m.expectedArrivals()
	if times == nil {
		f.need, f.until = half(m), Never
		return
	}
	f.need = bestCount(spent, times, func(heard int) float64 { return f.value(m, heard) })
	f.until = Never
	if f.need > 0 {
		f.until = m.now + Time(max(times[f.need-1], spent/overdueShare, 1))
	}
}

// overdueShare is the part of a block, as a fraction of one, that a forecast may be wrong by before it is made again.
const overdueShare = 4

// bestCount returns the number of arrivals whose value, divided by the time until then, is largest; of equal ones
// the largest. If no value is positive it is all.
func bestCount(spent Duration, times []Duration, value func(heard int) float64) int {
	best, most := len(times), 0.0
	for heard := len(times); heard >= 1; heard-- {
		if rate := value(heard) / float64(max(spent+times[heard-1], 1)); rate > most {
			best, most = heard, rate
		}
	}
	return best
}

// expectedArrivals returns when the first, second and so on new estimate of a live neighbour is expected, from now
// on, those counted at 0 that are here; nil if less than half of the neighbours are known.
//
// Each of the draws takes one of the remaining times of every neighbour, all of them equally often.
func (m *Machine) expectedArrivals() []Duration {
	var all [][]Duration
	unknown := 0
	for _, n := range m.view.neighbours {
		switch {
		case !n.live:
		case n.fresh():
			all = append(all, []Duration{0})
		case n.arrivals.times == nil:
			unknown++
		default:
			all = append(all, n.arrivals.remaining(m.now))
		}
	}
	if len(all) == 0 || unknown > len(all) {
		return nil
	}
	sums, draw := make([]Duration, len(all)), make([]Duration, len(all))
	for k := range memory {
		for j, ways := range all {
			draw[j] = ways[(k+j*stride)%len(ways)]
		}
		slices.Sort(draw)
		for i, t := range draw {
			sums[i] += t
		}
	}
	for i := range sums {
		sums[i] /= memory
	}
	return sums
}

// stride shifts what is drawn of one neighbour against the next one; it has no factor in common with memory.
const stride = 7
