package consensus

// ledger is what two ends of a link have given each other, for recipes whose sums over all peers must not
// change (sgp, gt with running_sums). What is given is never sent as such: an estimate carries the sum of all
// that was given since one that the other end has said to have (R-FAST 2307.11617; Hendrickx and Tsitsiklis
// 2018). A message that is lost, late or overtaken then takes nothing with it: the next one has it all.
//
// Base of an estimate is the number that its sum builds on, Answer the newest number that its sender has
// from the receiver.
type ledger struct {
	given []gift // since the estimate that the other end has said to have, oldest first
	base  uint64 // its number
	sent  uint64 // the newest estimate that has left this peer (sgp)

	taken []gift // the sums in the estimates heard that the next ones may build on, oldest first
	from  uint64 // what these sums build on
	seen  uint64 // the newest estimate counted
	due   gift   // counted, and not mixed yet (sgp)
	heard uint64 // the round in which it was counted (sgp)
}

// gift is an amount, or a sum of them, as of the estimate of that number.
type gift struct {
	seq    uint64
	amount []float32 // nil: nothing
	weight float64
}

// Bounds of what a link remembers: while nothing is heard from the other end the oldest gifts become one.
const mostGifts, mostTaken = 8, 16

// give enters an amount that the estimate of that number carries first.
func (l *ledger) give(seq uint64, amount []float32, weight float64) {
	l.given = append(l.given, gift{seq, amount, weight})
	if len(l.given) > mostGifts {
		first, second := l.given[0], l.given[1]
		merged := gift{second.seq, plus(first.amount, second.amount), first.weight + second.weight}
		l.given = append([]gift{merged}, l.given[2:]...)
	}
}

// sum is what was given and not said to be there.
func (l *ledger) sum() gift { return l.since(0) }

// unsent is what was given and has not left this peer as far as it knows.
func (l *ledger) unsent() gift { return l.since(l.sent) }

func (l *ledger) since(seq uint64) gift {
	var all gift
	for _, g := range l.given {
		if g.seq > seq {
			all.weight += g.weight
			all.amount = plus(all.amount, g.amount)
		}
	}
	return all
}

// write adds the sum to an estimate.
func (l *ledger) write(e Estimate) Estimate {
	all := l.sum()
	e.Base, e.Answer, e.Weight, e.Extra = l.base, l.seen, all.weight, all.amount
	return e
}

// take returns what an estimate of the other end gives beyond what was counted before, or why that cannot
// be told.
func (l *ledger) take(e Estimate) (gift, string) {
	if e.Seq <= l.seen {
		return gift{}, ReasonOldEstimate
	}
	l.answered(e.Answer)
	if e.Base != l.from && !l.rest(e.Base) {
		return gift{}, ReasonNoBase
	}
	more := gift{e.Seq, e.Extra, e.Weight}
	if last := len(l.taken) - 1; last >= 0 {
		more = more.less(l.taken[last])
	}
	l.taken = append(l.taken, gift{e.Seq, e.Extra, e.Weight})
	if len(l.taken) > mostTaken {
		l.taken = l.taken[1:]
	}
	l.seen = e.Seq
	return more, ""
}

// answered drops what the other end has said to have. One that has nothing any more has lost its memory.
func (l *ledger) answered(seq uint64) {
	if seq == 0 {
		l.base = 0
	}
	for i, g := range l.given {
		if g.seq == seq {
			l.base, l.given = seq, l.given[i+1:]
			return
		}
	}
}

// rest makes the sums that were heard build on one of them, or on nothing if the other end does.
func (l *ledger) rest(base uint64) bool {
	if base == 0 {
		l.taken, l.from = nil, 0
		return true
	}
	for i, origin := range l.taken {
		if origin.seq != base {
			continue
		}
		kept := make([]gift, 0, len(l.taken)-i)
		for _, g := range l.taken[i+1:] {
			kept = append(kept, g.less(origin))
		}
		l.taken, l.from = kept, base
		return true
	}
	return false
}

// less returns the gift without an earlier one.
func (g gift) less(earlier gift) gift {
	g.weight -= earlier.weight
	switch {
	case earlier.amount == nil:
	case g.amount == nil:
		g.amount = difference(1, earlier.amount, make([]float32, len(earlier.amount)))
	default:
		g.amount = difference(1, earlier.amount, g.amount)
	}
	return g
}

// plus returns x + y, where either may be missing.
func plus(x, y []float32) []float32 {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return add(x, 1, y)
}
