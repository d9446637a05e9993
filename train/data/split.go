package data

import (
	"fmt"
	"math"

	"github.com/starling-ml/starling/internal/seed"
)

// Split is a data set in two parts: peers train on one and are judged on the other.
type Split struct{ Train, Test Shard }

// splitSeed fixes the held-out part of a data set for good, so that scores of runs with different
// seeds are over the same samples.
const splitSeed = 1

// holdOut splits a set by a fixed permutation; fraction is the share of the test part, rounded up.
func holdOut(s *Set, fraction float64) (Split, error) {
	if !(fraction > 0 && fraction < 1) {
		return Split{}, fmt.Errorf("test fraction %g: must be above 0 and below 1", fraction)
	}
	all := All(s)
	test := int(math.Ceil(fraction * float64(s.Len())))
	if test == 0 || test == s.Len() {
		return Split{}, fmt.Errorf("data set %s has %d rows: too few to hold out %g of them", s.Name, s.Len(), fraction)
	}
	seed.Stream(splitSeed, "split").Shuffle(s.Len(), func(i, j int) {
		all.rows[i], all.rows[j] = all.rows[j], all.rows[i]
	})
	return Split{Train: Shard{s, all.rows[test:]}, Test: Shard{s, all.rows[:test]}}, nil
}
