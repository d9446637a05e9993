package estimate

import "math"

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
		ways[j] = n.way(k).coarse()
		word = max(word, k.latency*n.diameter)
		longest = max(longest, ways[j].to())
	}
	if longest == 0 {
		return always(0)
	}
	for j := range finish {
		finish[j].below = finish[j].of.below()
	}
	return spreadIn(coarseSteps, word, max(word, longest), func(t float64) float64 {
		return n.arrived(t, end, finish, ways)
	}).trimmed()
}

// coarseSteps are enough for ways and delays, whose spread is a part of a round.
const coarseSteps = 60

// coarse is the spread with few points.
func (s spread) coarse() spread {
	if len(s.mass) <= coarseSteps {
		return s
	}
	return s.onto((s.to() - s.from) / coarseSteps)
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
