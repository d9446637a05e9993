package estimate

import (
	"math"

	"github.com/starling-ml/starling/consensus"
)

// fewest are the rounds of backup on a full graph, where one closing is everybody's: a round ends when a
// peer has heard p of the others. Those that had not finished go on, and with late skip they finish in the
// next round, in what was left of their blocks; with late abort they start again.
func fewest(n *network) rounds {
	k := n.kinds[0]
	d := float64(n.peers - 1)
	p := max(1, math.Ceil(n.options.Fraction*d-1e-9))
	way, block := n.way(k), k.block.below()
	again := k.block.left()
	if n.options.Late == consensus.Abort {
		again = block
	}
	rest := spreadOf(0, k.block.to(), again)
	a, b := k.block.plus(way).below(), rest.plus(way).below()
	fresh, last := p, 0.0
	for range mostTurns {
		round := spreadOf(0, k.block.to()+way.to(), func(t float64) float64 {
			return block(t) * atLeast(p, group{fresh, a(t)}, group{d - fresh, b(t)})
		})
		finished := 0.0
		for at, m := range round.mass {
			t := round.from + float64(at)*round.step
			finished += m * (fresh*block(t) + (d-fresh)*again(t))
		}
		fresh = max(p, min(d, math.Round(finished)))
		time := (round.mean() + 2*k.latency) * float64(n.peers) / (fresh + 1)
		if math.Abs(time-last) < steady*time {
			break
		}
		last = time
	}
	return n.same(last)
}

// group is a number of things and the probability of each.
type group struct{ count, probability float64 }

// atLeast is the probability that at least need things happen of two groups.
func atLeast(need float64, one, other group) float64 {
	sum := 0.0
	for j := 0.0; j <= other.count; j++ {
		exactly := orderStatistic(other.probability, j, other.count) -
			orderStatistic(other.probability, j+1, other.count)
		sum += exactly * orderStatistic(one.probability, need-j, one.count)
	}
	return sum
}
