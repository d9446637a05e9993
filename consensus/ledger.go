package consensus

import "math/bits"

// ledger is what two ends of a link have given each other, for recipes whose sums over all peers must not
// change (sgp, gt with running_sums). What is given is never sent as such: an estimate carries the sum of all
// that was given since one that the other end has said to have (R-FAST 2307.11617; Hendrickx and Tsitsiklis
// 2018). A message that is lost, late or overtaken then takes nothing with it: the next one has it all.
//
// Base of an estimate is the number that its sum builds on, Answer a number that its sender has from the
// receiver. Neither end remembers every number, however many are on their way: both keep those that are
// multiples of large powers of two, so that what one end answers is among what the other one remembers.
type ledger struct {
	given []gift // since the estimate that the other end has said to have, oldest first
	base  uint64 // its number, or the last one before the ledger was opened
	sent  uint64 // the newest estimate that has left this peer (sgp)

	taken []gift // the sums heard that can be answered, oldest first, and the newest one
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
	scale  float64 // the largest weight that was on the way to this amount, whose rounding is in it
}

// mostGifts bounds what a link remembers of what it gave: beyond it two of them become one.
const mostGifts = 8

// leastShare is what two sums must differ by for the difference of their amounts to mean something: amounts
// have seven digits. Less stays in the ledger until it is more.
const leastShare = 1e-3

// rank is higher for numbers that are remembered longer.
func (g gift) rank() int { return bits.TrailingZeros64(g.seq) }

// give enters an amount that the estimate of that number carries first.
func (l *ledger) give(seq uint64, amount []float32, weight float64) {
	l.given = append(l.given, gift{seq: seq, amount: amount, weight: weight})
	if len(l.given) <= mostGifts {
		return
	}
	least := 0
	for i, g := range l.given[:mostGifts] {
		if g.rank() < l.given[least].rank() {
			least = i
		}
	}
	kept := append([]gift(nil), l.given[:least]...)
	for i, g := range l.given[least+1:] {
		if i == 0 {
			g.amount, g.weight = plus(l.given[least].amount, g.amount), l.given[least].weight+g.weight
		}
		kept = append(kept, g)
	}
	l.given = kept
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
	e.Base, e.Answer, e.Weight, e.Extra = l.base, l.from, all.weight, all.amount
	highest := -1
	for _, g := range l.taken {
		if g.rank() > highest {
			highest, e.Answer = g.rank(), g.seq
		}
	}
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
	sum := gift{e.Seq, e.Extra, e.Weight, e.Weight}
	more := sum
	if last := len(l.taken) - 1; last >= 0 {
		more = more.less(l.taken[last])
	}
	if more.weight < leastShare*more.scale {
		return gift{}, "adds too little to be told from rounding"
	}
	l.keep(sum)
	l.seen = e.Seq
	return more, ""
}

// keep enters a sum that was heard. The one before is kept if it could be answered: its rank is higher
// than those of all that are older.
func (l *ledger) keep(sum gift) {
	highest, kept := -1, make([]gift, 0, len(l.taken)+1)
	for _, g := range l.taken {
		if g.rank() > highest {
			highest, kept = g.rank(), append(kept, g)
		}
	}
	l.taken = append(kept, sum)
}

// answered drops what the other end has said to have.
func (l *ledger) answered(seq uint64) {
	for i, g := range l.given {
		if g.seq == seq {
			l.base, l.given = seq, l.given[i+1:]
			return
		}
	}
}

// rest makes the sums that were heard build on another number. One that was not heard is where the other
// end has opened its ledger anew, or this one has; older ones are from before that.
func (l *ledger) rest(base uint64) bool {
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
	if base < l.from {
		return false
	}
	l.taken, l.from = nil, base
	return true
}

// less returns the gift without an earlier one.
func (g gift) less(earlier gift) gift {
	g.weight -= earlier.weight
	g.scale = max(g.scale, earlier.scale)
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
