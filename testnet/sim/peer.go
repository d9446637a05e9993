package sim

import (
	"fmt"
	"math"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/vec"
)

// Peer is one peer of the network to build.
type Peer struct {
	Name consensus.Peer
	// Slow says that everybody knows this peer to be slow: dybw makes it a leaf of its tree.
	Slow bool
	// Late says that the peer is not there before Network.Restart.
	Late bool
	// Trainer does the local steps, at the virtual time at which they end; nil: estimates change by
	// mixing alone.
	Trainer train.Trainer
	// Pace returns how long the peer's next local step takes. It is called once a step in the order of
	// steps, so the k-th step takes the same time under every recipe.
	Pace func() consensus.Duration
	// Step is the typical time of a step, in which Config.MixCost is counted.
	Step consensus.Duration
	Link Link
}

// peer is a Peer at work.
type peer struct {
	Peer
	vertex  int
	machine *consensus.Machine // nil: killed
	life    int                // rises when the peer is killed, so that what it left behind is void
	wake    consensus.Time     // the Wake that is scheduled
	batch   []consensus.Send   // estimates of the Step that is being carried out
	uplink  uplink
	lanes   map[lane]consensus.Time // last arrival

	block  *block
	owed   consensus.Duration // mixing time that the next block pays
	slow   float64            // factor on the time of every step
	paused bool
	held   []consensus.Event // what arrived during a pause

	epoch    uint64 // of the member list it was told last
	absences int    // pauses, kills and restarts so far
	away     bool   // its neighbours have been told that it left
	removed  bool   // not on the member list

	side  int            // of the partition; 0: no partition, or with all those that are on no side
	sided consensus.Time // when it came to its side
	seen  int            // the side as peers know it: they have to miss each other first

	fresh []byte      // state of the trainer at the start
	saved *checkpoint // nil: none yet
}

// block is local training under way.
type block struct {
	train consensus.Train
	steps []consensus.Duration // of each local step
	end   consensus.Time
	left  consensus.Duration // while paused: what was left to do
}

// checkpoint is what survives a kill.
type checkpoint struct {
	state   consensus.State
	trainer []byte
}

// begin starts a block. It ends after the time of its steps and of the mixing owed.
func (n *Network) begin(p *peer, t consensus.Train) {
	p.block = &block{train: t, steps: make([]consensus.Duration, t.Steps)}
	took := p.owed
	p.owed = 0
	work := p.slow
	if t.Share.Batch > 0 {
		work *= t.Share.Batch
	}
	for k := range t.Steps {
		step := min(stretch(p.Pace(), work), forever-took)
		took += step
		p.block.steps[k] = step
	}
	n.finishIn(p, took)
}

// cut ends the block under way after the local step that is running. Time that mixing or a pause added
// to the block counts as spent before its last steps.
func (n *Network) cut(p *peer, number uint64) {
	b := p.block
	if b == nil || b.train.Block != number {
		return
	}
	left := consensus.Duration(b.end - n.now)
	if p.paused {
		left = b.left
	}
	for b.train.Steps > 1 {
		last := b.steps[b.train.Steps-1]
		if last > left {
			break
		}
		left -= last
		b.train.Steps--
	}
	if p.paused {
		b.left = left
		return
	}
	n.finishIn(p, left)
}

// finishIn sets the end of the block under way; an end that was set before is void.
func (n *Network) finishIn(p *peer, left consensus.Duration) {
	b := p.block
	end := n.now + consensus.Time(left)
	b.end = end
	n.after(p, left, func() {
		if p.block == b && b.end == end && !p.paused {
			n.finish(p)
		}
	})
}

// finish does the local steps of a block whose time has passed and tells the machine.
func (n *Network) finish(p *peer) {
	t := p.block.train
	p.block = nil
	done := consensus.Trained{Block: t.Block, Params: t.Params, Steps: t.Steps}
	if p.Trainer != nil {
		done.Params = vec.Clone(t.Params)
		if s, ok := p.Trainer.(train.Sharer); ok && t.Share.Size > 0 {
			s.Share(t.Share.From, t.Share.Size, t.Share.Batch)
		}
		for range t.Steps {
			loss, err := p.Trainer.Step(done.Params)
			if err != nil {
				panic(fmt.Sprintf("sim: peer %s: %v", p.Name, err))
			}
			done.Loss = loss
			if t.Drift != nil {
				vec.Axpy(done.Params, 1, t.Drift)
			}
		}
	}
	n.step(p, done)
}

// chargeMix makes a peer pay for mixing some replicas: its running block ends later, or its next one.
func (n *Network) chargeMix(p *peer, replicas int) {
	cost := stretch(p.Step, n.config.MixCost*float64(replicas)/4*p.slow)
	if cost == 0 {
		return
	}
	n.after(p, 0, func() { n.step(p, consensus.MixTook{Duration: cost}) })
	if p.block == nil {
		p.owed += cost
		return
	}
	n.finishIn(p, consensus.Duration(p.block.end-n.now)+cost)
}

// forever is 36 years: beyond every run, with room to add it to any time of one.
const forever consensus.Duration = 1 << 60

// stretch multiplies a duration and rounds to nanoseconds.
func stretch(d consensus.Duration, factor float64) consensus.Duration {
	if factor == 1 {
		return d
	}
	return consensus.Duration(min(math.Round(float64(d)*factor), float64(forever)))
}
