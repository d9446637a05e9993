package observe

import (
	"maps"
	"slices"

	"github.com/starling-ml/starling/consensus"
)

// Window sums up what happened since the window before it, about one second.
type Window struct {
	Span      Number            `json:"span_s"`
	Step      uint64            `json:"step"`  // local steps in total
	Steps     int               `json:"steps"` // within the window
	Loss      Number            `json:"loss"`  // mean over those steps; null when there were none
	Compute   Number            `json:"compute_s"`
	Wait      Number            `json:"wait_s"`
	Mix       Number            `json:"mix_s"`
	Mixes     int               `json:"mixes"`
	Lost      int               `json:"lost"` // local steps thrown away
	Sent      uint64            `json:"sent_bytes"`
	Received  uint64            `json:"recv_bytes"`
	Distance  Number            `json:"dist"` // at the last mix; null when there was none
	StaleP50  int64             `json:"stale_p50"`
	StaleP95  int64             `json:"stale_p95"`
	Influence map[string]Number `json:"influence,omitempty"`
	// WaitedFor is the waiting by the peer whose message ended it, in seconds.
	WaitedFor map[string]Number `json:"waited_for_s,omitempty"`
}

// tally gathers a window.
type tally struct {
	start     consensus.Time
	now       Window
	lossSum   float64
	staleness []int64
	sent      uint64 // totals at the start of the window
	received  uint64
}

func (t *tally) add(body Body) {
	switch b := body.(type) {
	case Step:
		t.now.Step = b.Step
		t.now.Steps += b.Steps
		t.now.Compute += b.Compute
		t.lossSum += float64(b.Loss) * float64(b.Steps)
	case Mix:
		t.now.Mixes++
		t.now.Wait += b.Waited
		t.now.Mix += b.Took
		t.now.Distance = b.Distance
		t.now.Influence = b.Influence
		t.waited(b)
		for _, used := range b.Used {
			t.staleness = append(t.staleness, used.Staleness)
		}
	case Lost:
		t.now.Lost += b.Steps
	}
}

// waited notes whom a mix waited for.
func (t *tally) waited(b Mix) {
	if b.WaitedFor == "" || b.Waited <= 0 {
		return
	}
	if t.now.WaitedFor == nil {
		t.now.WaitedFor = map[string]Number{}
	}
	t.now.WaitedFor[b.WaitedFor] += b.Waited
}

// close returns the window that ends at now and starts the next. sent and received are totals.
func (t *tally) close(now consensus.Time, sent, received uint64) Window {
	w := t.now
	w.Span = Seconds(consensus.Duration(now - t.start))
	w.Sent, w.Received = sent-t.sent, received-t.received
	w.Loss = Number(t.lossSum / float64(w.Steps)) // 0/0 is NaN: null
	if w.Mixes == 0 {
		w.Distance = Number(nan)
	}
	slices.Sort(t.staleness)
	w.StaleP50, w.StaleP95 = quantile(t.staleness, 50), quantile(t.staleness, 95)
	*t = tally{
		start: now, now: Window{Step: w.Step}, staleness: t.staleness[:0], sent: sent, received: received,
	}
	return w
}

// quantile is the smallest value that at least percent of the sorted values do not exceed; 0 of none.
func quantile(sorted []int64, percent int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}

// leastInfluence is the smallest share of any member relative to an equal share; 1 without members.
func leastInfluence(shares map[string]Number) float64 {
	if len(shares) == 0 {
		return 1
	}
	return float64(slices.Min(slices.Collect(maps.Values(shares)))) * float64(len(shares))
}
