package observe

import (
	"math"
	"time"

	"github.com/starling-ml/starling/consensus"
)

// samples has every kind of body, with and without what may be left out.
func samples() []Body {
	return []Body{
		RunStart{ConfigHash: "ab", Version: "0.1.0", Seed: 7, Recipe: "quorum", Topology: "ring"},
		RunStart{ConfigHash: "ab", Version: "0.1.0", Seed: 7, Recipe: "quorum", Topology: "ring", Host: "lab", Steps: 9},
		RunEnd{Reason: "stopped", Steps: 12},
		Window{Span: 1, Step: 12, Steps: 4, Loss: 0.5, Distance: Number(math.NaN())},
		Window{
			Span: 1, Distance: 0.1, Mixes: 2, StaleP95: 3, Influence: map[string]Number{"a": 0.5, "b": 0.5},
			WaitedFor: map[string]Number{"b": 0.25},
		},
		Step{Step: 12, Steps: 4, Loss: Number(math.Inf(1)), Compute: 0.04},
		Publish{Round: 3, Seq: 4, Steps: 4, Bytes: 14500, Whole: 58000, Codec: "float32", To: 2, Mid: true},
		mixed(),
		Mix{Used: []Used{}, Missing: []string{}},
		Lost{Round: 2, Steps: 4, Reason: "closed"},
		Eval{Step: 12, On: "own", Metrics: map[string]float64{"eval/loss": math.NaN(), "eval/recall/7": 0.9}},
		Straggler{Peer: "b", Ratio: 10, On: true},
		Straggler{Peer: "b", Ratio: 1},
		Member{Change: "join", Peer: "b"},
		Member{Change: "leave", Peer: "b"},
		Member{Change: "evict", Peer: "b", Reason: "silent"},
		Link{Up: true, Peer: "b", Path: "direct"},
		Link{Peer: "b", Reason: "lost"},
		FrameReject{Peer: "b", Reason: "nan", Detail: "value 3 of 9"},
		Checkpoint{Step: 12, Bytes: 30000, Took: 0.01, Outcome: "ok"},
		Checkpoint{Step: 12, Took: 0.01, Outcome: "failed", Error: "no space left"},
		Warn{ID: "W103", Text: "no neighbour", Count: 2},
		Perturb{ID: "p1", Do: "pause", Targets: []string{"b"}, Args: "8s", Line: 40},
		Perturb{End: true, ID: "p1", Do: "pause"},
	}
}

func mixed() Mix {
	return Mix{
		Round: 3, Waited: 0.25, WaitedFor: "b", Took: 0.001, Distance: 0.125, Missing: []string{"c"},
		Used:      []Used{{Peer: "b", Round: 1, Seq: 2, Age: 0.5, Staleness: 2, Weight: 0.25, Fresh: true}},
		Influence: map[string]Number{"a": 0.6, "b": 0.3, "c": 0.1},
	}
}

func virtual() Source {
	return Source{
		Run: "lab", Peer: "a", Name: "first", Virtual: true,
		Start: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
	}
}

// at is a time in milliseconds.
func at(ms int) consensus.Time { return consensus.Time(ms) * 1e6 }
