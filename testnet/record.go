package testnet

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/observe"
)

// record writes the event logs of a simulated run: peers/NAME/events.jsonl for every peer, and the
// journal of the network. Without a folder it does nothing.
type record struct {
	plan   *Plan
	frame  int // bytes of an estimate
	whole  *Journal
	byPeer map[consensus.Peer]*log
}

// virtualStart is the wall time of virtual time zero, so that equal runs write equal bytes.
var virtualStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func newRecord(plan *Plan, frame int) (*record, error) {
	r := &record{plan: plan, frame: frame, byPeer: map[consensus.Peer]*log{}}
	var err error
	if r.whole, err = OpenJournal(plan, virtualStart); err != nil || plan.Dir == "" {
		return r, err
	}
	for _, m := range plan.Members {
		source := observe.Source{Run: plan.Name, Peer: m.Name, Name: m.Name, Start: virtualStart, Virtual: true}
		l, err := openLog(plan, filepath.Join(plan.Dir, "peers", m.Name), source)
		if err != nil {
			return nil, errors.Join(err, r.close(0, err))
		}
		r.byPeer[consensus.Peer(m.Name)] = l
	}
	return r, nil
}

// observe logs one event of a peer.
func (r *record) observe(at consensus.Time, self consensus.Peer, ev consensus.Event, effects []consensus.Effect) {
	l := r.byPeer[self]
	if l == nil {
		return
	}
	l.event(at, ev, r.frame)
	for _, effect := range effects {
		if _, ok := effect.(consensus.Train); ok {
			l.began = at
		}
		l.meter.Effect(at, effect, 0)
	}
}

// close ends all logs and returns the first error of any of them.
func (r *record) close(at consensus.Time, cause error) error {
	first := r.whole.Close(at, cause)
	for _, m := range r.plan.Members {
		l := r.byPeer[consensus.Peer(m.Name)]
		if l == nil {
			continue
		}
		if err := l.close(at, cause); err != nil && first == nil {
			first = err
		}
	}
	return first
}
