package pace

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// Clock draws the times of one peer's steps. The k-th step takes the same time under every recipe,
// because the clock has a stream of its own and draws once a step. One goroutine calls Next; any may
// call Slow.
type Clock struct {
	law    Law
	stream *rand.Rand
	slow   atomic.Uint64 // bits of a float64
}

// NewClock returns a clock over a law and takes over the stream.
func NewClock(law Law, stream *rand.Rand) (*Clock, error) {
	if err := law.Validate(); err != nil {
		return nil, err
	}
	c := &Clock{law: law, stream: stream}
	c.Slow(1)
	return c, nil
}

// Next returns the time of the next step, between a nanosecond and a year.
func (c *Clock) Next() time.Duration {
	factor := c.law.Factor
	if factor == 0 {
		factor = 1
	}
	factor *= math.Float64frombits(c.slow.Load())
	took := math.Round(float64(c.law.Step) * c.law.unit(c.stream) * factor)
	return time.Duration(min(max(1, took), float64(longest)))
}

// longest is a step time beyond every run, with room to add up many of them.
const longest = 365 * 24 * time.Hour

// Slow multiplies the time of steps from the next one on, on top of the law's factor; 1 ends it. A
// factor that is not in 0 to 10,000 counts as the nearest one that is.
func (c *Clock) Slow(factor float64) {
	if !(factor > 0) {
		factor = 0
	}
	c.slow.Store(math.Float64bits(min(factor, maxFactor)))
}
