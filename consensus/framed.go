package consensus

import (
	"github.com/starling-ml/starling/vec"
)

// framed is the link of a run with a codec. Each neighbour is sent the difference to an estimate that it
// is known to have, so what a frame leaves out is part of the next difference and nothing is lost for good
// (error feedback: CHOCO, 1902.00340; DoubleSqueeze, 1905.05957).
//
// Frames name the estimate they build on. A neighbour that does not have it says so, and gets the whole
// estimate; so does one whose link is new. That makes silent losses harmless, which otherwise add up.
//
// In a mix the estimate of a neighbour is moved by what this peer's own last frame to it left out. Both
// ends then compare what they told each other, not what one told with what the other holds, and rounding
// pulls nobody anywhere.
type framed struct {
	codec vec.Codec
	made  made
}

// made is the frame written last: neighbours that build on the same version get the same one.
type made struct {
	base  *version
	turn  int // block: the fragment
	frame []byte
	v     *version
}

// track is what is known about the frames of one link.
type track struct {
	base   *version   // the newest of ours that has arrived; nil: the next one builds on nothing
	flying []*version // sent since, oldest first
	held   bool       // a publish waits until those under way have arrived
	sentAt uint64     // seq of the last estimate sent whole
	turn   int        // block: the fragment that is next

	heard  []*version // the neighbour's, from the one that it builds on
	unread uint64     // seq of its last estimate if that could not be read
}

// version is an estimate as one end told it and the other end has it.
type version struct {
	seq   uint64
	meant []float32 // the estimate itself; nil where both are the same, and at the other end
	said  []float32 // what became of it
	core  []uint32  // slim: the values whose indices are known at both ends
	age   int       // slim: frames that have built on that set
}

// Bounds of what a track keeps. An uplink holds fewer estimates for one neighbour.
const (
	mostFlying = 8
	mostHeard  = 16
)

// frame writes the last publish for a neighbour.
func (f *framed) frame(m *Machine, n *neighbour) (Estimate, bool) {
	l := &n.track
	// Of two whole estimates under way the second may take the place of the first, which a frame builds on
	// that is written in between.
	first := m.replace && l.base == nil && len(l.flying) > 0 && f.codec.Kind != vec.BF16
	if first || len(l.flying) >= mostFlying {
		l.held = true
		return Estimate{}, false
	}
	return f.write(m, n, m.last), true
}

// write puts an estimate in the form that a neighbour can read.
func (f *framed) write(m *Machine, n *neighbour, e Estimate) Estimate {
	l := &n.track
	l.held = false
	e.Answer = l.unread
	base := l.base
	if f.codec.Kind == vec.Auto && m.sendsFast() {
		base = nil
	}
	if f.made.v == nil || f.made.base != base || f.made.turn != l.turn || f.made.v.seq != e.Seq {
		f.made.base, f.made.turn = base, l.turn
		f.made.frame, f.made.v = f.encode(m, e, base)
	}
	if f.codec.Kind == vec.Fragment {
		l.turn = (l.turn + 1) % f.codec.Parts
	}
	v := f.made.v
	l.forget(e.Seq)
	l.flying = append(l.flying, v)
	if f.made.frame == nil {
		l.sentAt = e.Seq
		return e
	}
	e.Params, e.Frame = nil, f.made.frame
	if f.codec.Kind != vec.BF16 {
		e.Base = base.seq
	}
	return e
}

// fast is the share of a block that sending an estimate whole to everybody may take; beyond it codec auto
// writes int8. Sending is then felt: estimates are old when they arrive, or blocks wait for the uplink.
const fast = 0.25

// sendsFast tells whether whole estimates leave fast enough, as far as is known.
func (m *Machine) sendsFast() bool {
	block := float64(m.medianStep()) * float64(m.pace.steps)
	return float64(m.pace.whole) <= fast*block
}

// forget takes a version out of those under way.
func (t *track) forget(seq uint64) {
	for i, v := range t.flying {
		if v.seq == seq {
			t.flying = append(t.flying[:i:i], t.flying[i+1:]...)
			return
		}
	}
}

// resolved moves on to what has arrived, and sends what had to wait for that.
func (f *framed) resolved(m *Machine, n *neighbour, seq uint64, arrived bool) {
	l := &n.track
	if !arrived {
		l.forget(seq)
	}
	for i, v := range l.flying {
		if v.seq == seq {
			l.base, l.flying = v, l.flying[i+1:]
			break
		}
	}
	if l.held && n.live {
		m.resend(n)
	}
}

// lost forgets everything: the other end does too.
func (f *framed) lost(_ *Machine, n *neighbour) { n.track = track{} }

// read makes a whole estimate of what a neighbour sent.
func (f *framed) read(m *Machine, n *neighbour, e Estimate) (Estimate, string) {
	l := &n.track
	missed := e.Answer > l.sentAt // it lacks what our frames build on
	if missed {
		l.base, l.flying = nil, nil
	}
	v, reason := f.understand(m, n, e)
	if reason != "" {
		l.unread = e.Seq
	} else {
		l.unread = 0
		l.keep(v, e.Base)
		e.Params, e.Frame, e.Base, e.Answer = v.said, nil, 0, 0
	}
	if missed || reason == ReasonNoBase {
		f.repeat(m, n)
	}
	return e, reason
}

// understand decodes an estimate on what it builds on.
func (f *framed) understand(m *Machine, n *neighbour, e Estimate) (*version, string) {
	if e.Frame == nil {
		if len(e.Params) != len(m.x) {
			return nil, ReasonWrongLength
		}
		return &version{seq: e.Seq, said: e.Params}, ""
	}
	var base *version
	if f.codec.Kind != vec.BF16 {
		if base = n.track.find(e.Base); base == nil {
			return nil, ReasonNoBase
		}
	}
	v, err := f.decode(m, n.name, e, base)
	if err != nil {
		return nil, ReasonMalformed
	}
	return v, ""
}

// repeat sends the last publish once more under a new number, so that what one end cannot read is asked
// for and sent at once, not with the next publish: the neighbour may be waiting for this one.
func (f *framed) repeat(m *Machine, n *neighbour) {
	if !n.live || m.last.Seq == 0 {
		return
	}
	m.seq++
	e := m.last
	e.Seq = m.seq
	m.sendEstimate(n, f.write(m, n, e))
}

// keep adds a version of the neighbour and drops those that nothing can build on any more.
func (t *track) keep(v *version, base uint64) {
	kept := make([]*version, 0, len(t.heard)+1)
	for i, old := range t.heard {
		if old.seq >= base && old.seq != v.seq && base != 0 && (len(t.heard) < mostHeard || i != 1) {
			kept = append(kept, old)
		}
	}
	t.heard = append(kept, v)
}

func (t *track) find(seq uint64) *version {
	for _, v := range t.heard {
		if v.seq == seq {
			return v
		}
	}
	return nil
}

// told returns what this peer told last on the track, or nil.
func (t *track) told() *version {
	if len(t.flying) > 0 {
		return t.flying[len(t.flying)-1]
	}
	return t.base
}

// facing returns the estimate of a neighbour moved by what this peer's own last frame to it left out.
func (n *neighbour) facing(params []float32) []float32 {
	v := n.track.told()
	if v == nil || v.meant == nil {
		return params
	}
	return moveBy(params, 1, v.said, v.meant)
}
