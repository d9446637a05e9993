package gossip

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/starling-ml/starling/internal/seed"
)

// backoff spaces attempts to reach one peer: exponentially, with jitter, so that peers that failed
// together do not try together.
type backoff struct {
	least, most, next time.Duration
	random            *rand.Rand
}

// hasty is the most that attempts are spaced after a refusal that will pass by itself.
const hasty = 2 * time.Second

func (m *Mesh) newBackoff(peer peer.ID) *backoff {
	return &backoff{
		least:  m.timing.RetryMin,
		most:   m.timing.RetryMax,
		next:   m.timing.RetryMin,
		random: seed.Stream(0, "backoff", string(m.ID()), peer.String()),
	}
}

func (b *backoff) reset() { b.next = b.least }

// delay returns how long to wait after an attempt that ended with err; nil means that it succeeded
// and was lost later.
func (b *backoff) delay(err error) time.Duration {
	var refuse *refusal
	wait := b.next
	switch {
	case err == nil:
		wait = b.least
	case errors.As(err, &refuse) && refuse.Code.Temporary():
		b.next = min(2*b.next, b.most)
		wait = min(wait, hasty)
	case errors.As(err, &refuse): // somebody has to change something
		wait = b.most
	default:
		b.next = min(2*b.next, b.most)
	}
	return wait/2 + time.Duration(b.random.Int64N(int64(wait/2)+1))
}

// wait blocks for the delay, or until somebody kicks, though never less than a tenth of the least.
func (b *backoff) wait(ctx context.Context, kick <-chan struct{}, err error) {
	pause(ctx, b.least/10, nil)
	pause(ctx, b.delay(err), kick)
}

func pause(ctx context.Context, d time.Duration, kick <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-kick:
	case <-timer.C:
	}
}
