package consensus

// participation measures in how many rounds a peer takes part. Late peers that skip or abort rounds
// apply fewer updates, and the run would converge to the optimum of the fast peers' data; dividing
// the update by the participation rate restores the balance.
type participation struct {
	Gap  float64 // rounds per update, averaged; 0: no update yet
	Next uint64  // the round after that of the last update
}

// maxCorrection bounds the factor, because a step many times larger than tuned is unstable.
const maxCorrection = 8

// scale notes an update for a round and returns what to multiply it by.
func (p *participation) scale(round uint64) float32 {
	gap := float64(round + 1 - p.Next)
	if p.Gap == 0 {
		p.Gap = gap
	}
	p.Gap += float64(smoothing * (gap - p.Gap))
	p.Next = round + 1
	return float32(min(max(p.Gap, 1), maxCorrection))
}
