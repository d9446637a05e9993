package consensus

// shares is the running influence: who makes up what this peer mixes. In one mix neighbour j counts
// w_ij / (1 + max(0, age - 2p)/p) for the usual time p between two mixes of this peer, which counts its
// own weight; the counts are averaged exponentially over time (20 p) and divided by their sum. So
// what arrived since the last mix but one counts in full, however long everybody waited, and an old
// replica that is mixed again and again counts for less and less.
//
// It reveals what the consensus distance hides: a peer whose data silently leave the model.
type shares struct {
	own    float64
	last   Time
	some   bool     // a mix was counted
	period Duration // usual time between two mixes; 0: not known yet
	out    []Influence
}

// influenceSpan is the memory of influence in times between two mixes.
const influenceSpan = 20

// influence counts the mix being made and returns the shares in the order of names.
func (m *Machine) influence() []Influence {
	gain := m.influenceGain()
	period := float64(max(m.shares.period, 1))
	self := 1.0
	at := 0
	for _, n := range m.view.neighbours {
		count := 0.0
		if at < len(m.mixed.used) && m.mixed.used[at].Peer == n.name {
			source := m.mixed.used[at]
			self -= float64(source.Weight)
			young := period / (period + max(0, float64(source.Age)-float64(2*period)))
			count = float64(float64(source.Weight) * young) // converted: never fused with the difference below
			at++
		}
		n.share += float64(gain * (count - n.share))
	}
	m.shares.own += float64(gain * (self - m.shares.own))
	return m.normalised()
}

// influenceGain takes note of the time since the last mix and returns how much this one counts.
func (m *Machine) influenceGain() float64 {
	since := Duration(m.now - m.shares.last)
	first := !m.shares.some
	m.shares.last, m.shares.some = m.now, true
	if first {
		m.shares.period = Duration(m.now - m.block.began)
		return 1
	}
	m.shares.period = average(m.shares.period, since)
	return float64(since) / float64(since+influenceSpan*max(m.shares.period, 1))
}

func (m *Machine) normalised() []Influence {
	sum := m.shares.own
	for _, n := range m.view.neighbours {
		sum += n.share
	}
	out, placed := m.shares.out[:0], false
	for _, n := range m.view.neighbours {
		if !placed && m.config.Self < n.name {
			out, placed = append(out, Influence{m.config.Self, m.shares.own / sum}), true
		}
		out = append(out, Influence{n.name, n.share / sum})
	}
	if !placed {
		out = append(out, Influence{m.config.Self, m.shares.own / sum})
	}
	m.shares.out = out
	return out
}
