package consensus

import (
	"fmt"
	"strings"

	"github.com/starling-ml/starling/vec"
)

// String returns the canonical line.
func (e Train) String() string {
	return newLine("train").uint("block", e.Block).int("steps", int64(e.Steps)).vector("params", e.Params).
		vectorOrNone("drift", e.Drift).float64("from", e.Share.From).float64("share", e.Share.Size).
		float64("batch", e.Share.Batch).String()
}

// String returns the canonical line.
func (e CutTrain) String() string { return newLine("cut-train").uint("block", e.Block).String() }

// String returns the canonical line.
func (e CancelTrain) String() string { return newLine("cancel-train").uint("block", e.Block).String() }

// String returns the canonical line; the message's own line follows its receiver.
func (e Send) String() string {
	return newLine("send").peer("to", e.To).flag("replace", e.Replace).String() + " " + e.Message.String()
}

// String returns the canonical line.
func (e Save) String() string { return newLine("save").uint("round", e.Round).String() }

// String returns the canonical line.
func (e Published) String() string {
	l := newLine("published").uint("round", e.Round).uint("seq", e.Seq).int("steps", int64(e.Steps)).
		float32("loss", e.Loss).int("to", int64(e.To)).flag("mid-block", e.MidBlock).
		flag("skipped", e.Skipped)
	if e.Codec != vec.Dense {
		l.put("codec", string(e.Codec))
	}
	return l.String()
}

// String returns the canonical line; sources are peer:weight@round, a + marks fresh ones.
func (e Mixed) String() string {
	l := newLine("mixed").uint("round", e.Round).flag("mid-block", e.MidBlock)
	if len(e.Used) > 0 {
		l.put("used", sources(e.Used))
	}
	l.peers("missing", e.Missing).int("waited", int64(e.Waited)).peer("waited-for", e.WaitedFor)
	if e.Distance > 0 {
		l.put("distance", fmt.Sprintf("%.4g", e.Distance))
	}
	shares := make([]string, len(e.Influence))
	for i, s := range e.Influence {
		shares[i] = fmt.Sprintf("%s:%.3f", escape(s.Peer), s.Value)
	}
	if len(shares) > 0 {
		l.put("influence", strings.Join(shares, ","))
	}
	return l.String()
}

func sources(used []Source) string {
	texts := make([]string, len(used))
	for i, s := range used {
		texts[i] = fmt.Sprintf("%s:%s@%d", escape(s.Peer), float32Text(s.Weight), s.Round)
		if s.Fresh {
			texts[i] += "+"
		}
	}
	return strings.Join(texts, ",")
}

// String returns the canonical line.
func (e Lost) String() string {
	l := newLine("lost").uint("round", e.Round).int("steps", int64(e.Steps))
	return l.put("reason", fmt.Sprintf("%q", e.Reason)).String()
}

// String returns the canonical line.
func (e Straggling) String() string {
	l := newLine("straggling").peer("peer", e.Peer)
	return l.put("ratio", fmt.Sprintf("%.3g", e.Ratio)).flag("on", e.On).String()
}

// String returns the canonical line.
func (e Ignored) String() string {
	return newLine("ignored").peer("from", e.From).put("reason", fmt.Sprintf("%q", e.Reason)).String()
}
