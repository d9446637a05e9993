package estimate

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/starling-ml/starling/consensus"
)

// rounds is the mean time from one mix to the next of every kind of peer, in the order of kinds.
type rounds []float64

// free are the rounds of recipes that wait for nobody: a block.
func free(n *network) rounds {
	var all rounds
	for _, k := range n.kinds {
		all = append(all, k.block.mean())
	}
	return all
}

// same are the rounds of a network in which everybody goes at one speed.
func (n *network) same(time float64) rounds {
	all := make(rounds, len(n.kinds))
	for i := range all {
		all[i] = time
	}
	return all
}

// others is how many of d neighbours of a peer of kind i are of kind j, on average.
func (n *network) others(i, j int) float64 {
	count := n.kinds[j].count
	if i == j {
		count--
	}
	return n.degree * count / float64(max(1, n.peers-1))
}

// inStep are the rounds of recipes that wait for all neighbours of the same round. A peer starts when the
// last of its neighbourhood has finished, t_i(k+1) = max over j of t_j(k) + X_j(k); the starts of neighbours
// are alike as far as they were held up by the same peer.
func inStep(n *network) rounds {
	start, last := always(0), 0.0
	for range mostTurns {
		slowest := n.nextStart(start)
		mean := slowest.mean()
		start = slowest.later(-mean)
		if math.Abs(mean-last) < steady*mean {
			break
		}
		last = mean
	}
	if n.degree == 0 {
		return free(n)
	}
	return n.same(min(last, barrier(n)[0]))
}

// Iterations end when a mean changes by less than this share, or after so many.
const (
	steady    = 1e-4
	mostTurns = 60
)

// nextStart is the spread of the next start of the kind of peer that is latest, given that of this one
// around its mean.
func (n *network) nextStart(start spread) spread {
	own := make([]spread, len(n.kinds))
	there := make([]spread, len(n.kinds))
	for j, k := range n.kinds {
		own[j] = start.times(n.independence).plus(k.block)
		there[j] = own[j].plus(n.way(k))
	}
	var latest spread
	for i := range n.kinds {
		all := []several{{of: own[i], count: 1}}
		for j := range n.kinds {
			all = append(all, several{of: there[j], count: n.others(i, j)})
		}
		if next := slowestOf(all...); latest.mass == nil || next.mean() > latest.mean() {
			latest = next
		}
	}
	return latest
}

// barrier are the rounds of a network in which everybody waits for everybody.
func barrier(n *network) rounds {
	delay, last := always(0), 0.0
	for range mostTurns {
		var all []several
		for _, k := range n.kinds {
			all = append(all, several{of: delay.plus(k.block), count: k.count})
		}
		end := slowestOf(all...)
		mean := end.mean()
		if math.Abs(mean-last) < steady*mean {
			break
		}
		last = mean
		delay = n.startDelay(end, all)
	}
	return n.same(last)
}

// startDelay is the spread of the time from the end of the last block of a round to the start of a peer: word
// of the end has to come over some links, and the estimates of its own neighbours have to be there.
func (n *network) startDelay(end spread, finish []several) spread {
	word, longest := 0.0, 0.0
	ways := make([]spread, len(n.kinds))
	for j, k := range n.kinds {
		ways[j] = n.way(k)
		word = max(word, k.latency*n.diameter)
		longest = max(longest, ways[j].to())
	}
	if longest == 0 {
		return always(0)
	}
	for j := range finish {
		finish[j].below = finish[j].of.below()
	}
	return spreadOf(word, max(word, longest), func(t float64) float64 {
		return n.arrived(t, end, finish, ways)
	}).trimmed()
}

// arrived is the probability that a peer has the estimates of its neighbours so long after the end of the
// last block. One of d/N peers is a neighbour of the one that ends last.
func (n *network) arrived(t float64, end spread, finish []several, ways []spread) float64 {
	const moments = 40
	stride := max(1, len(end.mass)/moments)
	sum, mass := 0.0, 0.0
	for from := 0; from < len(end.mass); from += stride {
		part := 0.0
		for _, m := range end.mass[from:min(from+stride, len(end.mass))] {
			part += m
		}
		at := end.from + (float64(from)+float64(stride-1)/2)*end.step
		mass += part
		if part > 0 {
			sum += part * n.arrivedBy(at, t, finish, ways)
		}
	}
	return sum / mass
}

// arrivedBy is arrived when the last block ends at a certain time.
func (n *network) arrivedBy(end, t float64, finish []several, ways []spread) float64 {
	others, last := 1.0, 0.0
	for j, f := range finish {
		way := ways[j].below()
		before := 0.0
		for k, m := range ways[j].mass {
			took := ways[j].from + float64(k)*ways[j].step
			before += m * f.below(min(end, end+t-took))
		}
		share := before / max(f.below(end), 1e-300)
		others *= math.Pow(min(1, share), n.degree*f.count/float64(n.peers))
		last += f.count / float64(n.peers) * way(t)
	}
	near := n.degree / float64(n.peers)
	return others * (1 - near + near*last)
}

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
	var last float64
	for range mostTurns {
		left := n.residual(current)
		for i := range n.kinds {
			current[i] = n.quorumRound(n.kinds[i], left)
		}
		mean := 0.0
		for i, k := range n.kinds {
			mean += k.count * current[i].mean()
		}
		if math.Abs(mean-last) < steady*mean {
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

// residual is the distribution function of the time until a random neighbour speaks next.
func (n *network) residual(current []spread) func(float64) float64 {
	all := make([]func(float64) float64, len(current))
	for i, s := range current {
		all[i] = s.atLeast(n.sending(n.kinds[i])).left()
	}
	return func(t float64) float64 {
		sum := 0.0
		for i, k := range n.kinds {
			sum += k.count * all[i](t)
		}
		return sum / float64(n.peers)
	}
}

// quorumRound is the spread of a round of one kind of peer.
func (n *network) quorumRound(k kind, left func(float64) float64) spread {
	d := math.Round(n.degree)
	need := n.need(d)
	grace, limit := n.grace(), n.limit()
	reached := func(t float64) float64 { return orderStatistic(left(t), need, d) }
	block := k.block.below()
	return spreadOf(k.block.from, n.longest(k), func(t float64) float64 {
		everybody := math.Pow(left(t), d)
		either := everybody
		if t > grace {
			both := 0.0
			if f := left(t); f > 0 {
				both = everybody * orderStatistic(left(t-grace)/f, need, d)
			}
			either = reached(t-grace) + everybody - both
		}
		gaveUp := 0.0
		if limit > 0 {
			gaveUp = block(t - limit)
		}
		early := max(gaveUp, block(t-grace))
		return gaveUp + (early-gaveUp)*either + (block(t)-early)*everybody
	}).trimmed()
}

// orderStatistic is the probability that at least need of d independent things have happened, each with
// probability p.
func orderStatistic(p, need, d float64) float64 {
	switch {
	case need <= 0 || p >= 1:
		return 1
	case p <= 0:
		return 0
	}
	return mathext.RegIncBeta(need, d-need+1, p)
}

// need is how many of d neighbours are waited for.
func (n *network) need(d float64) float64 {
	o := n.options
	switch {
	case o.Recipe == "backup":
		return max(1, math.Ceil(o.Fraction*d-1e-9))
	case o.Quorum > 0:
		return min(float64(o.Quorum), d)
	}
	return math.Ceil(d / 2)
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
	if n.options.Recipe == "pulse" {
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
