package testnet

import (
	"math"
	"sync"

	"github.com/starling-ml/starling/consensus"
)

// Tally adds up what the peers of one run do. Every driver feeds it the same way: each event that
// reached a machine, with the effects that the machine answered, or sums of many of them. It is safe for
// concurrent use.
type Tally struct {
	peers int
	mu    sync.Mutex
	all   Sums
	most  uint64                                   // steps of one peer
	by    map[consensus.Peer]uint64                // steps
	share map[consensus.Peer][]consensus.Influence // what counts at each peer, as of its last mix
}

// Sums are what one peer has done.
type Sums struct {
	Steps, Lost uint64 // local steps, and those that entered no average
	Rounds      uint64 // mixes at the end of a block
	Waited      consensus.Duration
	// Influence is the share of each member as of the last mix; nil: nothing was mixed.
	Influence []consensus.Influence
}

// NewTally returns a tally for a network of some peers.
func NewTally(peers int) *Tally {
	return &Tally{peers: peers, share: map[consensus.Peer][]consensus.Influence{}, by: map[consensus.Peer]uint64{}}
}

// Observe counts one event of a peer and its effects.
func (m *Tally) Observe(_ consensus.Time, self consensus.Peer, ev consensus.Event, effects []consensus.Effect) {
	var s Sums
	if t, ok := ev.(consensus.Trained); ok {
		s.Steps = uint64(t.Steps)
	}
	for _, effect := range effects {
		switch e := effect.(type) {
		case consensus.Lost:
			s.Lost += uint64(e.Steps)
		case consensus.Mixed:
			s.Waited += e.Waited
			s.Influence = e.Influence
			if !e.MidBlock {
				s.Rounds++
			}
		}
	}
	m.Add(self, s)
}

// Add counts what a peer has done since it was counted last.
func (m *Tally) Add(self consensus.Peer, s Sums) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all.Steps += s.Steps
	m.all.Lost += s.Lost
	m.all.Rounds += s.Rounds
	m.all.Waited += s.Waited
	m.by[self] += s.Steps
	m.most = max(m.most, m.by[self])
	if s.Influence != nil {
		m.share[self] = s.Influence
	}
}

// MostSteps returns how many local steps the fastest peer has done.
func (m *Tally) MostSteps() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.most
}

// Fill writes what has been counted during a run of some length into a result. live are the peers that
// were running at its end.
func (m *Tally) Fill(r *Result, length consensus.Duration, live []consensus.Peer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	seconds := float64(length) / float64(consensus.Second)
	r.Time = seconds
	r.Steps = m.all.Steps
	r.GradientsLost = m.all.Lost
	if seconds > 0 {
		r.StepRate = float64(m.all.Steps) / seconds
		r.WaitingRatio = float64(m.all.Waited) / float64(length) / float64(m.peers)
	}
	if m.all.Rounds > 0 {
		r.RoundTime = seconds * float64(m.peers) / float64(m.all.Rounds)
	}
	r.InfluenceMin = m.influenceMin(live)
}

// influenceMin returns the smallest influence of a live peer on the live peers relative to an equal
// share: 1 when everybody counts the same, 0 when somebody's data has been averaged away.
func (m *Tally) influenceMin(live []consensus.Peer) float64 {
	total := map[consensus.Peer]float64{}
	for _, name := range live {
		for _, share := range m.share[name] {
			total[share.Peer] += share.Value
		}
	}
	lowest := math.Inf(1)
	for _, name := range live {
		lowest = min(lowest, total[name])
	}
	return min(lowest, float64(len(live))) // nobody live: 0
}
