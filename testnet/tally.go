package testnet

import (
	"math"
	"sync"

	"github.com/starling-ml/starling/consensus"
)

// Tally adds up what the peers of one run do. Every driver feeds it the same way: each event that
// reached a machine, with the effects that the machine answered. It is safe for concurrent use.
type Tally struct {
	peers     int
	mu        sync.Mutex
	steps     uint64
	most      uint64                    // of one peer
	by        map[consensus.Peer]uint64 // steps
	lost      uint64
	waited    consensus.Duration
	influence map[consensus.Peer][]consensus.Share // what counts at each peer, as of its last mix
}

// NewTally returns a tally for a network of some peers.
func NewTally(peers int) *Tally {
	return &Tally{peers: peers, influence: map[consensus.Peer][]consensus.Share{}, by: map[consensus.Peer]uint64{}}
}

// Observe counts one event of a peer and its effects.
func (m *Tally) Observe(_ consensus.Time, self consensus.Peer, ev consensus.Event, effects []consensus.Effect) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t, ok := ev.(consensus.Trained); ok {
		m.steps += uint64(t.Steps)
		m.by[self] += uint64(t.Steps)
		m.most = max(m.most, m.by[self])
	}
	for _, effect := range effects {
		switch e := effect.(type) {
		case consensus.Lost:
			m.lost += uint64(e.Steps)
		case consensus.Mixed:
			m.waited += e.Waited
			m.influence[self] = e.Influence
		}
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
	r.Steps = m.steps
	r.GradientsLost = m.lost
	if seconds > 0 {
		r.StepRate = float64(m.steps) / seconds
		r.WaitingRatio = float64(m.waited) / float64(length) / float64(m.peers)
	}
	r.InfluenceMin = m.influenceMin(live)
}

// influenceMin returns the smallest influence of a live peer on the live peers relative to an equal
// share: 1 when everybody counts the same, 0 when somebody's data has been averaged away.
func (m *Tally) influenceMin(live []consensus.Peer) float64 {
	total := map[consensus.Peer]float64{}
	for _, name := range live {
		for _, share := range m.influence[name] {
			total[share.Peer] += share.Value
		}
	}
	lowest := math.Inf(1)
	for _, name := range live {
		lowest = min(lowest, total[name])
	}
	return min(lowest, float64(len(live))) // nobody live: 0
}
