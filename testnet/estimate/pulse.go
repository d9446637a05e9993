package estimate

import (
	"math"

	"github.com/starling-ml/starling/consensus"
)

// beats tells whether a recipe fits its blocks to a beat.
func beats(o consensus.Options) bool { return o.Recipe == "pulse" || o.Recipe == "auto" }

// firstPulse is the age, in beats, at which a block is interrupted by the first pulse.
const firstPulse = 1.3

// pulseBlock is the mean number of steps of a block of pulse and the spread of its time: as many as fit the
// beat by the step time that the peer has measured, which is a moving average over blocks. The beat is the
// median of such averages around here, or what the uplink needs.
func (n *network) pulseBlock(step spread) (steps float64, block spread) {
	for h := 1.0; ; h = math.Round(steps) {
		many := step.repeated(int(h)).times(1 / h)
		steps, block = n.fitted(step, many.averaged())
		if math.Round(steps) <= h {
			return steps, block
		}
	}
}

// fitted is pulseBlock with a given spread of what is measured of a step.
func (n *network) fitted(step, measured spread) (steps float64, block spread) {
	const most, rare = 64, 1e-3
	beat, own := n.medianBeat(step, measured), measured.below()
	sum, steps := step, 1.0
	mixed := []several{{of: step, count: 1}}
	for h := 2; h <= most; h++ {
		share := 0.0 // of blocks with h steps or more
		for at, m := range beat.mass {
			share += m * own((beat.from+float64(at)*beat.step)/(float64(h)-0.3))
		}
		if share < rare {
			break
		}
		steps += share
		sum = sum.plus(step)
		mixed[h-2].count -= share
		mixed = append(mixed, several{of: sum, count: share})
	}
	return steps, mixtureOf(mixed)
}

// medianBeat is the spread of the beat that a peer with such steps goes by.
func (n *network) medianBeat(step, measured spread) spread {
	usual := n.usualStep() / step.mean() // the others' steps, in those of this peer
	around, d := measured.below(), math.Round(n.degree)
	median := spreadOf(measured.from, measured.to(), func(t float64) float64 {
		return orderStatistic(around(t), math.Floor((d+1)/2)+1, d+1)
	})
	return median.times(usual).atLeast(n.beat(0))
}

// averaged is the spread of a moving average of such times in which the newest has a fifth of the weight.
func (s spread) averaged() spread {
	const smoothing = 0.2
	average := s
	for range 12 {
		average = average.times(1 - smoothing).plus(s.times(smoothing))
	}
	return average
}

// beat is the beat of pulse: the usual time of a step, or more where the uplink needs it.
func (n *network) beat(usual float64) float64 {
	least := 0.0
	for _, k := range n.kinds {
		least = max(least, n.sending(k)/0.8)
	}
	return max(usual*float64(max(1, n.options.LocalSteps)), least)
}
