package sim_test

import (
	"math"
	"slices"
	"strconv"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// ideal is a dumb twin of dybw: the threshold rule as one global loop, without messages. A round ends
// when both ends of a tree edge that this cycle has not used yet have finished.
type ideal struct {
	lab  lab
	tree []topology.Edge
	late consensus.Late
}

const idealRounds = 20_000

// round returns the mean duration of a round in units.
func (d ideal) round() float64 {
	draw := d.draws("tree")
	finish := make([]float64, d.lab.graph.N())
	for i := range finish {
		finish[i] = draw(i)
	}
	var used []int
	end := 0.0
	for range idealRounds {
		edge := d.first(finish, used)
		end = max(finish[d.tree[edge].U], finish[d.tree[edge].V])
		if used = append(used, edge); len(used) == len(d.tree) {
			used = nil
		}
		for i, f := range finish {
			switch {
			case f <= end || d.late == consensus.Abort:
				finish[i] = end + draw(i)
			case d.late == consensus.Carry:
				finish[i] = f + draw(i)
			}
		}
	}
	return end / idealRounds
}

// first returns the unused tree edge whose both ends finish first.
func (d ideal) first(finish []float64, used []int) int {
	best, at := -1, math.Inf(1)
	for k, e := range d.tree {
		if t := max(finish[e.U], finish[e.V]); t < at && !slices.Contains(used, k) {
			best, at = k, t
		}
	}
	return best
}

// barrier returns the mean of the largest of everybody's step times.
func (d ideal) barrier() float64 {
	draw := d.draws("barrier")
	sum := 0.0
	for range idealRounds {
		slowest := 0.0
		for i := range d.lab.graph.N() {
			slowest = max(slowest, draw(i))
		}
		sum += slowest
	}
	return sum / idealRounds
}

func (d ideal) draws(name string) func(i int) float64 {
	r := seed.Stream(d.lab.seed, "ideal", name, strconv.Itoa(len(d.tree)))
	return func(i int) float64 {
		if own, ok := d.lab.laws[i]; ok {
			return own(r)
		}
		return d.lab.law(r)
	}
}
