package demo

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/starling-ml/starling/testnet"
)

// Outcome is what one lane showed.
type Outcome struct {
	Lane
	testnet.Result
}

// Run runs the plans of a configuration: lanes in virtual time beside each other, others one by one,
// because they share the machine.
func (c Config) Run(ctx context.Context, runtime testnet.Runtime, plans []*testnet.Plan) ([]Outcome, error) {
	outcomes := make([]Outcome, len(plans))
	group, ctx := errgroup.WithContext(ctx)
	if c.Runtime != testnet.VirtualTime {
		group.SetLimit(1)
	}
	for i, plan := range plans {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			result, err := runtime.Run(ctx, plan)
			if err != nil {
				return fmt.Errorf("lane %s: %w", c.Lanes[i], err)
			}
			outcomes[i] = Outcome{Lane: c.Lanes[i], Result: result}
			return nil
		})
	}
	return outcomes, group.Wait()
}

const (
	// probeLength is how long it takes to see whether the machine keeps the pace.
	probeLength = 1500 * time.Millisecond
	// slowestPace is tried last; a machine that misses it is marked in the results.
	slowestPace = 160 * time.Millisecond
)

// Probe finds a pace that this machine can keep: that of the configuration, or twice that, and so on. It
// runs the last lane for a moment.
func (c Config) Probe(ctx context.Context, runtime testnet.Runtime) (time.Duration, error) {
	short := c
	short.Lanes, short.Length, short.Kills, short.Dir = c.Lanes[len(c.Lanes)-1:], probeLength, nil, ""
	for ; short.Pace < slowestPace; short.Pace *= 2 {
		plans, err := short.Plans()
		if err != nil {
			return 0, err
		}
		outcomes, err := short.Run(ctx, runtime, plans)
		if err != nil {
			return 0, err
		}
		if !outcomes[0].Overloaded {
			break
		}
	}
	return short.Pace, nil
}
