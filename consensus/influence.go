package consensus

// shares is the running influence: who makes up what this peer mixes. In one mix neighbour j counts
// w_ij * m/(m + age) for the local median block time m, this peer counts its own weight; the counts
// are averaged exponentially over time (20 median blocks) and divided by their sum.
//
// It reveals what the consensus distance hides: a peer whose data silently leave the model.
type shares struct {
	own  float64
	last Time
	some bool // a mix was counted
	out  []Share
}

// influenceSpan is the memory of influence in median blocks.
const influenceSpan = 20

// influence counts the mix being made and returns the shares in the order of names.
func (m *Machine) influence() []Share {
	median := float64(max(m.medianBlock(), 1))
	gain := m.influenceGain(median)
	self := 1.0
	at := 0
	for _, n := range m.view.neighbours {
		count := 0.0
		if at < len(m.mixed.used) && m.mixed.used[at].Peer == n.name {
			source := m.mixed.used[at]
			self -= float64(source.Weight)
			count = float64(source.Weight) * (median / (median + float64(source.Age)))
			at++
		}
		n.share += float64(gain * (count - n.share))
	}
	m.shares.own += float64(gain * (self - m.shares.own))
	return m.normalised()
}

func (m *Machine) influenceGain(median float64) float64 {
	since := float64(m.now - m.shares.last)
	first := !m.shares.some
	m.shares.last, m.shares.some = m.now, true
	if first {
		return 1
	}
	return since / (since + influenceSpan*median)
}

func (m *Machine) normalised() []Share {
	sum := m.shares.own
	for _, n := range m.view.neighbours {
		sum += n.share
	}
	out, placed := m.shares.out[:0], false
	for _, n := range m.view.neighbours {
		if !placed && m.config.Self < n.name {
			out, placed = append(out, Share{m.config.Self, m.shares.own / sum}), true
		}
		out = append(out, Share{n.name, n.share / sum})
	}
	if !placed {
		out = append(out, Share{m.config.Self, m.shares.own / sum})
	}
	m.shares.out = out
	return out
}
