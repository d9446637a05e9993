package estimate

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/starling-ml/starling/consensus"
)

// quorate are the rounds of recipes that wait until some of their neighbours have said something new since
// the last mix: R = max(X, Q), where Q is an order statistic of what is left of the neighbours' rounds.
func quorate(n *network) rounds {
	current := make([]spread, len(n.kinds))
	for i, k := range n.kinds {
		current[i] = k.block
	}
	if n.degree == 0 {
		return free(n)
	}
	q := quorum{network: n, need: n.need(), of: math.Round(n.degree), waits: make([]float64, len(n.kinds))}
	for last := 0.0; ; {
		q.listen(current)
		mean := 0.0
		for i, k := range n.kinds {
			current[i] = q.round(i)
			mean += k.count * current[i].mean()
		}
		if q.turns++; math.Abs(mean-last) < steady*mean || q.turns == mostTurns {
			break
		}
		last = mean
	}
	all := make(rounds, len(n.kinds))
	for i := range all {
		all[i] = current[i].mean()
	}
	return all
}

// quorum is a wait for some of one's neighbours.
type quorum struct {
	*network
	need, of float64
	turns    int
	waits    []float64             // by kind, the share of rounds that a neighbour's estimate ends
	left     func(float64) float64 // until a random neighbour speaks next, at a random moment
	whole    func(float64) float64 // the same from when it has just spoken
}

// listen takes the rounds of all kinds and works out when neighbours speak. They do so once a round, or as
// often as their uplinks allow; those of pulse also in the middle of a long block.
func (q *quorum) listen(current []spread) {
	whole, left := make([]func(float64) float64, len(current)), make([]func(float64) float64, len(current))
	for i, s := range current {
		if beats(q.options) {
			s = s.atMost(firstPulse * q.beat(q.usualStep()))
		}
		s = s.atLeast(q.sending(q.kinds[i]))
		whole[i], left[i] = s.below(), s.left()
	}
	q.whole, q.left = q.mixture(whole), q.mixture(left)
}

// mixture is the distribution function of a time that a random peer has.
func (n *network) mixture(all []func(float64) float64) func(float64) float64 {
	return func(t float64) float64 {
		sum := 0.0
		for i, k := range n.kinds {
			sum += k.count * all[i](t)
		}
		return sum / float64(n.peers)
	}
}

// round is the spread of a round of one kind of peer. Where an estimate ended the last wait, that neighbour
// has just begun a round of its own; the others are seen at a random moment.
func (q *quorum) round(i int) spread {
	k, share := q.kinds[i], q.waits[i]
	block := k.block.below()
	limit := q.limit()
	round := spreadOf(k.block.from, q.longest(k), func(t float64) float64 {
		gaveUp := 0.0
		if limit > 0 {
			gaveUp = block(t - limit)
		}
		early := max(gaveUp, block(t-q.grace()))
		enough, everybody := q.heard(t, share)
		return gaveUp + (early-gaveUp)*enough + (block(t)-early)*everybody
	}).trimmed()
	waits := 0.0
	for b, m := range k.block.mass {
		enough, _ := q.heard(k.block.from+float64(b)*k.block.step, share)
		waits += m * (1 - enough)
	}
	q.waits[i] = waits
	return round
}

// heard is the probability that enough neighbours, and that all of them, have spoken within a time.
func (q *quorum) heard(t, share float64) (enough, everybody float64) {
	all := func(t float64) float64 {
		f := q.left(t)
		return math.Pow(f, q.of-1) * (share*q.whole(t) + (1-share)*f)
	}
	some := func(t float64) float64 {
		f, w := q.left(t), q.whole(t)
		random := orderStatistic(f, q.need, q.of)
		spoke := w*orderStatistic(f, q.need-1, q.of-1) + (1-w)*orderStatistic(f, q.need, q.of-1)
		return share*spoke + (1-share)*random
	}
	everybody = all(t)
	return max(everybody, some(t-q.grace())), everybody
}

// orderStatistic is the probability that at least need of d independent things have happened, each with
// probability p.
func orderStatistic(p, need, d float64) float64 {
	switch {
	case need <= 0:
		return 1
	case need > d || p <= 0:
		return 0
	case p >= 1:
		return 1
	}
	return mathext.RegIncBeta(need, d-need+1, p)
}

// need is how many neighbours are waited for.
func (n *network) need() float64 {
	d := math.Round(n.degree)
	if q := n.options.Quorum; q > 0 {
		return min(float64(q), d)
	}
	if n.options.Recipe == "auto" {
		return max(math.Ceil(d/2), math.Round(d*n.prompt()))
	}
	return math.Ceil(d / 2)
}

// straggler is how many times longer than the usual step one takes of a peer that auto does not wait for.
const straggler = 2

// prompt is the share of peers that are no stragglers.
func (n *network) prompt() float64 {
	usual, count := n.usualStep(), 0.0
	for _, k := range n.kinds {
		if k.law.Mean() < straggler*usual {
			count += k.count
		}
	}
	return count / float64(n.peers)
}

// usualBlock is the usual time of a block, by which waits are measured.
func (n *network) usualBlock() float64 {
	if b := n.options.Budget; b > 0 {
		return max(seconds(b), n.usualStep())
	}
	return n.usualStep() * float64(max(1, n.options.LocalSteps))
}

func seconds(d consensus.Duration) float64 { return float64(d) / float64(consensus.Second) }

func (n *network) grace() float64 {
	return seconds(n.options.Grace) + n.options.GraceFraction*n.usualBlock()
}

// limit is the longest wait; 0: none.
func (n *network) limit() float64 {
	if beats(n.options) {
		return n.beat(n.usualStep()) / 4
	}
	limit, relative := seconds(n.options.Timeout), n.options.TimeoutFactor*n.usualBlock()
	if limit == 0 || relative > 0 && relative < limit {
		limit = relative
	}
	return limit
}

// longest is a time that no round of a quorum exceeds.
func (n *network) longest(k kind) float64 {
	most := k.block.to()
	for _, other := range n.kinds {
		most = max(most, other.block.to(), n.sending(other))
	}
	if l := n.limit(); l > 0 {
		return min(2*most, k.block.to()+l)
	}
	return 2 * most
}
