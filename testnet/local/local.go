// Package local runs the networks of manifests for real on this machine: as libp2p hosts in one process
// (InProcess) or with one operating system process a peer (Processes). A referee looks at the peers from
// outside, as the virtual clock does from above, so that all runtimes measure the same things.
package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/testnet"
)

// network is a network at work, as the referee sees it.
type network interface {
	// standings tells where the peers stand, by vertex; nil for those that do not run.
	standings(ctx context.Context) []*node.Standing
	act(ctx context.Context, a testnet.Action) error
	// failed gives the error of a peer that ended by itself.
	failed() <-chan error
	// stop ends all peers and waits for them.
	stop() error
}

// launch starts all peers of a site. They begin to train at its start.
type launch func(s *site) (network, error)

// errLate is in the error of a network that was not complete at its start.
var errLate = errors.New("the network was not complete when it should have started")

// attempts is how often a network is started, each time with twice the time to get ready.
const attempts = 5

// run starts a network, watches it to its end, and measures it. Its clock begins after lead.
func run(ctx context.Context, plan *testnet.Plan, lead time.Duration, start launch) (testnet.Result, error) {
	for attempt := 1; ; attempt++ {
		result, err := runOnce(ctx, plan, lead, start)
		if !errors.Is(err, errLate) || attempt == attempts {
			return result, err
		}
		lead *= 2
	}
}

func runOnce(
	ctx context.Context, plan *testnet.Plan, lead time.Duration, start launch,
) (result testnet.Result, err error) {
	s, err := newSite(plan, lead)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	net, err := start(s)
	if err != nil {
		return result, err
	}
	return s.referee(ctx, net)
}

// referee runs a network that has been started to its end.
func (s *site) referee(ctx context.Context, net network) (result testnet.Result, err error) {
	r, err := newReferee(s, net)
	if err != nil {
		return result, errors.Join(err, net.stop())
	}
	err = s.await(ctx, net)
	if err == nil {
		err = r.watch(ctx)
	}
	stopped := net.stop()
	if err == nil {
		err = stopped // what goes wrong afterwards is a consequence
	}
	if closed := r.journal.Close(r.now(), err); err == nil {
		err = closed
	}
	if err != nil {
		return result, err
	}
	return r.result()
}

// await waits for the start and demands that every link is up by then.
func (s *site) await(ctx context.Context, net network) error {
	const look = 50 * time.Millisecond
	complete := false
	for until := time.Until(s.start); until > 0; until = time.Until(s.start) {
		wait := min(until, look)
		if complete {
			wait = until
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-net.failed():
			return err
		case <-time.After(wait):
		}
		complete = complete || s.complete(net.standings(ctx))
	}
	if !complete {
		return fmt.Errorf("%w: give the machine more time or fewer peers", errLate)
	}
	return nil
}

// complete tells whether every peer that is there from the start has a link to all such neighbours.
func (s *site) complete(standings []*node.Standing) bool {
	late := s.plan.Late()
	for v, standing := range standings {
		if late[v] {
			continue
		}
		links := 0
		for _, neighbour := range s.plan.Graph.Neighbours(v) {
			if !late[neighbour] {
				links++
			}
		}
		if standing == nil || standing.Links < links {
			return false
		}
	}
	return true
}

// tell passes an error on unless enough of them wait already: the first one ends the run.
func tell(errors chan<- error, err error) {
	select {
	case errors <- err:
	default:
	}
}

// slowdowns remembers how slow peers are, for those that are started again.
type slowdowns map[int]float64

func (s slowdowns) of(vertex int) float64 {
	if factor, ok := s[vertex]; ok {
		return factor
	}
	return 1
}
