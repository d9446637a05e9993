package consensus

import "slices"

// smoothing is the weight of a new measurement in the moving averages of times.
const smoothing = 0.2

// pace holds the times a peer measures: of its local steps, of sending to everybody, of mixing.
type pace struct {
	step  Duration // one local step, waiting excluded; 0: not measured yet
	send  Duration // from a publish until its last frame was sent; 0: not measured yet
	whole Duration // the same if all frames were whole estimates
	mix   Duration // one mix, as the driver reports it
	steps int      // local steps per block by the options, at least 1
	least Duration // a block is not shorter: pulse gives sending its time
	all   []Duration
}

func (p *pace) init(o Options) { p.steps = max(1, o.LocalSteps) }

func (p *pace) trained(took Duration, steps int) {
	if steps > 0 && took > 0 {
		p.step = average(p.step, took/Duration(steps))
	}
}

func (p *pace) mixTook(took Duration) { p.mix = average(p.mix, took) }

// sendTook measures sending, of frames that are so many times smaller than whole estimates.
func (p *pace) sendTook(took Duration, smaller float64) {
	p.send = average(p.send, took)
	p.whole = average(p.whole, Duration(smaller*float64(took)))
}

// average moves old towards measured; the first measurement replaces the start value.
func average(old, measured Duration) Duration {
	if old == 0 {
		return measured
	}
	return old + Duration(smoothing*float64(measured-old))
}

// medianStep returns the upper median of the known step times of this peer and its live neighbours,
// as they advertised them last; 0 if none is known.
func (m *Machine) medianStep() Duration {
	all := m.pace.all[:0]
	if m.pace.step > 0 {
		all = append(all, m.pace.step)
	}
	for _, n := range m.view.neighbours {
		if n.live && n.stepTime > 0 {
			all = append(all, n.stepTime)
		}
	}
	m.pace.all = all
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// medianBlock returns how long a block lasts around here: the budget, or the median step time times the
// steps of a block; 0 if unknown.
func (m *Machine) medianBlock() Duration {
	median := m.medianStep()
	if median == 0 {
		return 0
	}
	if m.options.Budget > 0 {
		return max(m.options.Budget, median)
	}
	return max(median*Duration(m.pace.steps), m.pace.least)
}

// A ratio of step times between these counts as 1.
const nearlyEqual, nearlySame = 0.87, 1.15

// slowness returns how many times longer than the median step around here one of this peer takes, between
// 1/most and most; 1 if that is not known or about 1.
func (m *Machine) slowness(most float64) float64 {
	median := m.medianStep()
	if median == 0 || m.pace.step == 0 {
		return 1
	}
	c := min(max(float64(m.pace.step)/float64(median), 1/most), most)
	if c > nearlyEqual && c < nearlySame {
		return 1
	}
	return c
}

// waitLimit returns how long a peer waits for neighbours at most; 0 if there is no limit.
func (m *Machine) waitLimit() Duration {
	limit := m.options.Timeout
	relative := Duration(m.options.TimeoutFactor * float64(m.medianBlock()))
	if limit == 0 || (relative > 0 && relative < limit) {
		limit = relative
	}
	return limit
}

// overdue tells whether the wait has reached its limit.
func (m *Machine) overdue() bool {
	limit := m.waitLimit()
	return limit > 0 && m.now >= m.waited+Time(limit)
}

// overdueAt returns when the wait reaches its limit.
func (m *Machine) overdueAt() Time {
	if limit := m.waitLimit(); limit > 0 {
		return m.waited + Time(limit)
	}
	return Never
}
