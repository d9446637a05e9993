package observe

import (
	"cmp"

	"github.com/starling-ml/starling/consensus"
)

// FromEffect turns an effect of the core into the body that tells of it, or nil for effects that are
// work for the driver or say that nothing was done. took is the time of the Step that gave the effect,
// which is the time of the mix.
func FromEffect(effect consensus.Effect, took consensus.Duration) Body {
	switch e := effect.(type) {
	case consensus.Published:
		if e.Skipped {
			return nil // nothing was sent
		}
		return Publish{
			Round: e.Round, Seq: e.Seq, Steps: e.Steps, Codec: cmp.Or(string(e.Codec), "float32"), To: e.To, Mid: e.MidBlock,
		}
	case consensus.Mixed:
		return fromMixed(e, took)
	case consensus.Lost:
		return Lost{Round: e.Round, Steps: e.Steps, Reason: e.Reason}
	case consensus.Straggling:
		return Straggler{Peer: string(e.Peer), Ratio: Number(e.Ratio), On: e.On}
	case consensus.Train, consensus.CancelTrain, consensus.CutTrain, consensus.Send, consensus.Save, consensus.Ignored:
		return nil
	}
	return nil // an effect that a newer core added and that nobody has given a line yet
}

func fromMixed(e consensus.Mixed, took consensus.Duration) Mix {
	m := Mix{
		Round: e.Round, Mid: e.MidBlock, Waited: Seconds(e.Waited), WaitedFor: string(e.WaitedFor),
		Took: Seconds(took), Distance: Number(e.Distance),
		Used:      make([]Used, 0, len(e.Used)),
		Missing:   make([]string, 0, len(e.Missing)),
		Influence: make(map[string]Number, len(e.Influence)),
	}
	for _, s := range e.Used {
		m.Used = append(m.Used, Used{
			Peer: string(s.Peer), Round: s.Round, Seq: s.Seq, Age: Seconds(s.Age),
			Staleness: s.Staleness, Weight: Number(s.Weight), Fresh: s.Fresh,
		})
	}
	for _, peer := range e.Missing {
		m.Missing = append(m.Missing, string(peer))
	}
	for _, share := range e.Influence {
		m.Influence[string(share.Peer)] = Number(share.Value)
	}
	return m
}
