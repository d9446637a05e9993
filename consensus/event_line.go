package consensus

import (
	"strconv"
	"strings"
)

// String returns the canonical line.
func (Wake) String() string { return "wake" }

// String returns the canonical line; edges are pairs of vertices.
func (e Rewired) String() string {
	var edges []string
	if e.Graph != nil {
		for _, edge := range e.Graph.Edges() {
			edges = append(edges, strconv.Itoa(edge.U)+"-"+strconv.Itoa(edge.V))
		}
	}
	l := newLine("rewired").uint("epoch", e.Epoch).peers("members", e.Members)
	if len(edges) > 0 {
		l.put("edges", strings.Join(edges, ","))
	}
	return l.peers("slow", e.Slow).String()
}

// String returns the canonical line.
func (e Joined) String() string { return newLine("joined").peer("peer", e.Peer).String() }

// String returns the canonical line.
func (e Left) String() string { return newLine("left").peer("peer", e.Peer).String() }

// String returns the canonical line; the message's own line follows its sender.
func (e Received) String() string {
	return newLine("received").peer("from", e.From).String() + " " + e.Message.String()
}

// String returns the canonical line.
func (e Trained) String() string {
	return newLine("trained").uint("block", e.Block).int("steps", int64(e.Steps)).
		float32("loss", e.Loss).vector("params", e.Params).String()
}

// String returns the canonical line.
func (e Sent) String() string { return newLine("sent").peer("to", e.To).uint("seq", e.Seq).String() }

// String returns the canonical line.
func (e SendFailed) String() string {
	return newLine("send-failed").peer("to", e.To).uint("seq", e.Seq).String()
}

// String returns the canonical line.
func (e MixTook) String() string {
	return newLine("mix-took").int("duration", int64(e.Duration)).String()
}
