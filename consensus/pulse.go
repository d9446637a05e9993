package consensus

// pulse is the rule of a peer that keeps the beat of its neighbourhood although its own block may
// last longer. With no slow peer it does what quorum does, event for event.
//
// A block that outlasts the beat is interrupted by pulses: the peer publishes and mixes in the middle
// of it. A peer c times slower than its neighbourhood adds what a block learned c times, one piece a
// beat (the held piece), so every peer pushes the average about equally often and equally hard, and
// no single push is larger than an ordinary one.
//
// Replicas older than two beats weigh by inverse age. Peers that pulse are never that old; those whose
// mixing eats the beat cannot pulse, and their neighbours must not be held back by what they once were.
type pulse struct {
	plain
	options PulseOptions
	set     *latest

	median Duration // median step time at the block's start; 0: unknown
	beat   Duration // at the block's start
	due    Time     // of the next pulse; Never: none in this block
	calm   bool     // mixing eats the beat: no pulses and no scaling in this block

	piece []float32 // the held piece
	left  int       // how often it has yet to be added
}

// Constants of the recipe.
const (
	maxSteps    = 64  // local steps of a block
	firstPulse  = 1.3 // beats after the block's start
	waitShare   = 4   // a peer waits for a quarter of a beat at most
	uplinkShare = 0.8 // share of the beat that sending may take
	rounding    = 0.3 // of the number of local steps
	whole       = 1.5 // up to this ratio the update is added at once
	starved     = 2   // mixing that takes 1/starved of a beat is too dear inside a block
)

// steps fixes the beat of the block that starts.
func (p *pulse) steps(m *Machine) int {
	p.median, p.beat, p.due, p.calm = 0, 0, Never, false
	p.learn(m)
	if m.options.LocalSteps > 0 {
		return m.options.LocalSteps
	}
	if p.beat == 0 || m.pace.step == 0 {
		return 1
	}
	return min(max(int(float64(p.beat)/float64(m.pace.step)+rounding), 1), maxSteps)
}

// learn computes the beat when the median step time is known for the first time in this block.
func (p *pulse) learn(m *Machine) {
	if p.median > 0 {
		return
	}
	p.median = m.medianStep()
	if p.median == 0 {
		return
	}
	m.pace.least = Duration(float64(m.pace.send) / uplinkShare)
	p.beat = m.medianBlock()
	p.calm = p.starving(m)
	if !p.options.NoMidBlock && !p.calm {
		p.due = m.block.began + Time(firstPulse*float64(p.beat))
	}
}

// starving tells whether mixing would eat the beat.
func (p *pulse) starving(m *Machine) bool {
	return m.pace.mix > 0 && m.pace.mix >= p.beat/starved
}

// hear learns the beat from the first frame that tells a step time.
func (p *pulse) hear(m *Machine, from *neighbour, message Message) string {
	p.learn(m)
	return p.plain.hear(m, from, message)
}

func (p *pulse) wake(*Machine) Time { return p.due }

// awake is the pulse: add a piece, publish, mix without waiting. A peer learns what mixing costs by
// mixing, so the first block that starves finds out on the way; otherwise it would never end.
func (p *pulse) awake(m *Machine) {
	if m.now < p.due {
		return
	}
	if p.starving(m) {
		p.due, p.calm = Never, true
		return
	}
	if p.due += Time(p.beat); p.due <= m.now {
		p.due = m.now + Time(p.beat)
	}
	p.push(m, 1)
	m.tryPublish(0, true)
	m.mixNow(true)
}

// push adds the held piece up to times times.
func (p *pulse) push(m *Machine, times int) {
	if times = min(times, p.left); times > 0 {
		m.x = add(m.x, float32(times), p.piece)
		m.block.moved = true
		p.left -= times
	}
}

// apply flushes what is left of the old piece and adds the block's update, whole or as a new piece.
func (p *pulse) apply(m *Machine, done Trained) {
	p.due = Never
	p.learn(m)
	p.push(m, p.left)
	p.piece = nil
	c := p.ratio(m)
	if c <= whole || p.options.Jump {
		m.advance(done, float32(c))
		return
	}
	pieces := int(c + 0.5)
	p.piece = difference(float32(c/float64(pieces)), m.block.snapshot, done.Params)
	p.left = pieces
	p.push(m, 1)
}

// ratio returns how many times slower this peer is than its neighbourhood, within limits. Without
// pulses there is nothing to spread pieces over, and one c-fold jump is more than training bears.
func (p *pulse) ratio(m *Machine) float64 {
	if p.calm {
		return 1
	}
	return m.slowness(float64(p.options.MaxPieces))
}

// limit returns the longest wait of pulse.
func (p *pulse) limit(*Machine) Duration { return p.beat / waitShare }

func buildPulse(m *Machine) {
	p := &pulse{options: *m.options.Pulse, set: &latest{damped: true}, due: Never}
	m.replace, m.skipBusy = true, true
	m.rule, m.mid, m.mix = p, p, p.set
	m.wait = &quorumWait{need: half, limit: p.limit}
}
