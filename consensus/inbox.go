package consensus

import "slices"

// inbox keeps what one neighbour said about rounds that are still open here, in the order of rounds.
//
// Invariant: at most limit letters. A full inbox keeps the oldest rounds, which are needed first, and
// uses its last place for the newest.
type inbox []letter

// letter is what a neighbour said about one round.
type letter struct {
	round    uint64
	estimate *Estimate
	arrived  Time
	intent   answer
	active   int // edges the neighbour mixes over; -1: not told
}

// answer is a bit that may not have arrived.
type answer int8

const (
	unknown answer = iota
	no
	yes
)

// open returns the letter of a round, making room for it.
func (b *inbox) open(round uint64, limit int) *letter {
	at, found := slices.BinarySearchFunc(*b, round, byRound)
	if found {
		return &(*b)[at]
	}
	fresh := letter{round: round, active: -1}
	if len(*b) < limit {
		*b = slices.Insert(*b, at, fresh)
		return &(*b)[at]
	}
	if at < limit-1 { // older than the newest two: the newest gives way
		*b = slices.Insert((*b)[:limit-1], at, fresh)
		return &(*b)[at]
	}
	(*b)[limit-1] = fresh
	return &(*b)[limit-1]
}

// at returns the letter of exactly that round, or nil.
func (b inbox) at(round uint64) *letter {
	if at, found := slices.BinarySearchFunc(b, round, byRound); found {
		return &b[at]
	}
	return nil
}

// estimateFrom returns the oldest letter with an estimate of that round or a later one, or nil.
func (b inbox) estimateFrom(round uint64) *letter {
	at, _ := slices.BinarySearchFunc(b, round, byRound)
	for ; at < len(b); at++ {
		if b[at].estimate != nil {
			return &b[at]
		}
	}
	return nil
}

// before drops the letters of rounds before round.
func (b *inbox) before(round uint64) {
	at, _ := slices.BinarySearchFunc(*b, round, byRound)
	*b = slices.Delete(*b, 0, at)
}

// newest returns the latest round the neighbour has published for, and whether there is one.
func (b inbox) newest() (uint64, bool) {
	for at := len(b) - 1; at >= 0; at-- {
		if b[at].estimate != nil {
			return b[at].round, true
		}
	}
	return 0, false
}

// current returns the round the neighbour was in when it last spoke: it answers when it closes a
// round, so an answer says that it is in the next one. 0: it has not spoken of open rounds.
func (b inbox) current() uint64 {
	if len(b) == 0 {
		return 0
	}
	last := b[len(b)-1]
	if last.intent != unknown {
		return last.round + 1
	}
	return last.round
}

// finished tells whether the neighbour has published for the round or a later one.
func (b inbox) finished(round uint64) bool { return len(b) > 0 && b[len(b)-1].round >= round }

func byRound(l letter, round uint64) int {
	switch {
	case l.round < round:
		return -1
	case l.round > round:
		return 1
	}
	return 0
}
