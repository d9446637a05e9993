package testnet

import (
	"math"
	"testing"

	"github.com/starling-ml/starling/consensus"
)

func TestTally(t *testing.T) {
	t.Parallel()
	tally := NewTally(2)
	mixed := func(a, b float64) consensus.Effect {
		return consensus.Mixed{
			Waited:    consensus.Second / 2,
			Influence: []consensus.Influence{{Peer: "a", Value: a}, {Peer: "b", Value: b}},
		}
	}
	tally.Observe(0, "a", consensus.Trained{Steps: 3}, []consensus.Effect{mixed(0.5, 0.5)})
	tally.Observe(1, "a", consensus.Trained{Steps: 1}, []consensus.Effect{mixed(0.9, 0.1)})
	tally.Observe(1, "b", consensus.Wake{}, []consensus.Effect{mixed(0.7, 0.3), consensus.Lost{Steps: 2}})
	tally.Add("b", Sums{})
	tally.Observe(2, "b", consensus.Wake{}, []consensus.Effect{consensus.Mixed{MidBlock: true}})
	var r Result
	tally.Fill(&r, 10*consensus.Second, []consensus.Peer{"a", "b"})
	if r.Time != 10 || r.Steps != 4 || r.StepRate != 0.4 || r.GradientsLost != 2 {
		t.Errorf("%+v", r)
	}
	if want := 20.0 / 3; r.RoundTime != want {
		t.Errorf("a round takes %g s, want %g", r.RoundTime, want)
	}
	if r.WaitingRatio != 1.5/20 {
		t.Errorf("waiting ratio %g", r.WaitingRatio)
	}
	if math.Abs(r.InfluenceMin-0.4) > 1e-12 { // b: .1 + .3, where 1 is an equal share of two peers
		t.Errorf("smallest influence %g", r.InfluenceMin)
	}
}

// A peer that is gone counts neither as one that is listened to nor as one that listens.
func TestTallyCountsTheLiving(t *testing.T) {
	t.Parallel()
	tally := NewTally(3)
	for _, self := range []consensus.Peer{"a", "b", "dead"} {
		tally.Observe(0, self, consensus.Wake{}, []consensus.Effect{consensus.Mixed{
			Influence: []consensus.Influence{{Peer: "a", Value: 0.5}, {Peer: "b", Value: 0.5}},
		}})
	}
	var r Result
	tally.Fill(&r, consensus.Second, []consensus.Peer{"a", "b"})
	if r.InfluenceMin != 1 {
		t.Errorf("smallest influence %g", r.InfluenceMin)
	}
	tally.Fill(&r, consensus.Second, nil)
	if r.InfluenceMin != 0 {
		t.Errorf("smallest influence among nobody %g", r.InfluenceMin)
	}
}
