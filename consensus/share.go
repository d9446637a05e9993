package consensus

import (
	"math"
	"slices"
)

// Share is the part of the pooled work that a peer does: batches are drawn from the samples at
// [From, From+Size) of the pool, as shares of 1, and are Batch times as large as usual. Zero: the peer trains
// on data of its own with the usual batch.
type Share struct{ From, Size, Batch float64 }

// division divides the work of all in proportion to speed (share: speed; DBS, Ye et al. 2020, 2007.11831).
// A peer measures how long a local step with an equal share of the work takes it, u_i, and floods that when
// it has changed. From what was flooded everybody computes the same shares,
//
//	share_i = (1/u_i) / sum over members j of 1/u_j,
//
// and the peer's batch is N share_i times the usual one, so that steps take equally long everywhere. Its
// update counts N share_i times too: so every sample counts alike, as with one large batch.
type division struct {
	unit     float64 // mean of u_i in nanoseconds, over the last blocks; 0: not measured yet
	measured int     // blocks in it
	since    int     // blocks since the last flood
	told     map[Peer]Speed
	share    Share // of this peer; valid unless stale
	stale    bool
}

const (
	longMemory = 20  // blocks over which a speed is averaged
	changed    = 1.2 // factor by which a speed has to change to be flooded again
	quiet      = 8   // blocks between two floods of a peer
	mostUnlike = 32  // times the median that a speed counts as at most, and the same below it
)

// next returns the share of this peer for the block that begins.
func (d *division) next(m *Machine) Share {
	if d.stale {
		d.share, d.stale = d.compute(m), false
	}
	return d.share
}

// compute divides [0, 1) among the members, in the order of their vertices. A speed that is not known counts
// as the median of those that are.
func (d *division) compute(m *Machine) Share {
	me, member := m.view.vertex[m.config.Self]
	if !member {
		return Share{Size: 1, Batch: 1}
	}
	speeds := make([]float64, len(m.view.members))
	var known []float64
	for v, name := range m.view.members {
		if s, ok := d.told[name]; ok {
			speeds[v] = 1 / float64(s.StepTime)
			known = append(known, speeds[v])
		}
	}
	median := 1.0
	if len(known) > 0 {
		slices.Sort(known)
		median = known[len(known)/2]
	}
	sum, before := 0.0, 0.0
	for v, speed := range speeds {
		if speed == 0 {
			speed = median
		}
		speed = min(max(speed, median/mostUnlike), median*mostUnlike)
		if v < me {
			before += speed
		}
		sum += speed
		speeds[v] = speed
	}
	size := speeds[me] / sum
	return Share{From: before / sum, Size: size, Batch: size * float64(len(speeds))}
}

// trained measures a block and floods this peer's speed if it has changed.
func (d *division) trained(m *Machine, took Duration, steps int) {
	if steps == 0 || took <= 0 {
		return
	}
	unit := float64(took) / float64(steps) / m.block.share.Batch
	d.measured = min(d.measured+1, longMemory)
	d.unit += float64((unit - d.unit) / float64(d.measured))
	d.since++
	last, some := d.told[m.config.Self]
	ratio := d.unit / float64(last.StepTime)
	if !some || (d.since >= quiet && (ratio > changed || ratio < 1/changed)) {
		d.say(m, last.Version+1)
	}
}

// say floods this peer's speed.
func (d *division) say(m *Machine, version uint64) {
	if _, member := m.view.vertex[m.config.Self]; !member {
		return
	}
	s := Speed{
		Epoch: m.view.epoch, Peer: m.config.Self, Version: version, StepTime: max(1, Duration(math.Round(d.unit))),
	}
	d.since = 0
	d.note(s)
	m.flood(s, "")
}

func (d *division) note(s Speed) {
	d.told[s.Peer], d.stale = s, true
}

// hear takes a Speed and passes it on once. A peer that has lost its state hears from others what it said
// before, and says it anew.
func (d *division) hear(m *Machine, from *neighbour, s Speed) string {
	if _, member := m.view.vertex[s.Peer]; !member {
		m.held.keep(from.name, s)
		return ReasonNotMember
	}
	switch last := d.told[s.Peer]; {
	case s.Version <= last.Version || s.StepTime <= 0:
		return ReasonKnown
	case s.Peer == m.config.Self && s.Version == math.MaxUint64:
		return ReasonKnown
	case s.Peer == m.config.Self && d.measured > 0:
		d.say(m, s.Version+1)
		return ""
	}
	d.note(s)
	m.flood(s, from.name)
	return ""
}

// greet tells a neighbour that just became live all speeds: floods that passed while the link was down do not
// come again.
func (d *division) greet(m *Machine, n *neighbour) {
	for _, name := range m.view.members {
		if s, ok := d.told[name]; ok {
			m.emit(Send{To: n.name, Message: s})
		}
	}
}

// rewired forgets those that are no members any more.
func (d *division) rewired(m *Machine) {
	told := map[Peer]Speed{}
	for _, name := range m.view.members {
		if s, ok := d.told[name]; ok {
			told[name] = s
		}
	}
	d.told, d.stale = told, true
}

// DivisionState is what a peer knows of the speeds of all.
type DivisionState struct {
	Unit            float64
	Measured, Since int
	Told            []Speed
}

func (d *division) save(m *Machine) *DivisionState {
	s := &DivisionState{Unit: d.unit, Measured: d.measured, Since: d.since}
	for _, name := range m.view.members {
		if told, ok := d.told[name]; ok {
			s.Told = append(s.Told, told)
		}
	}
	return s
}

func (d *division) load(m *Machine, s *DivisionState) {
	if s == nil {
		return
	}
	d.unit, d.measured, d.since = s.Unit, s.Measured, s.Since
	for _, told := range s.Told {
		d.note(told)
	}
	d.rewired(m)
}
