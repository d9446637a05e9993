package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/starling-ml/starling/internal/build"
	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/testnet"
)

// InProcess is the runtime whose peers are libp2p hosts in this process, connected over loopback. A
// killed peer's host closes, so its neighbours notice at once.
type InProcess struct{}

// hostCost is the processor time that opening one host takes.
const hostCost = 100 * time.Millisecond

// Run implements testnet.Runtime.
func (InProcess) Run(ctx context.Context, plan *testnet.Plan) (testnet.Result, error) {
	return run(ctx, plan, leadOf(plan, hostCost), openHosts)
}

// hosts are the peers of one process.
type hosts struct {
	site   *site
	peers  []*host // by vertex; nil: it does not run
	slow   slowdowns
	errors chan error
}

// host is one peer at work.
type host struct {
	*node.Node
	end  context.CancelCauseFunc
	done chan struct{}
	err  error // once done
}

func openHosts(s *site) (network, error) {
	h := &hosts{site: s, peers: make([]*host, len(s.ids)), slow: slowdowns{}, errors: make(chan error, len(s.ids))}
	for v, late := range s.plan.Late() {
		if late {
			continue
		}
		if err := h.open(v, false); err != nil {
			return nil, errors.Join(err, h.stop())
		}
	}
	return h, nil
}

// open starts the peer at a vertex.
func (h *hosts) open(vertex int, fresh bool) error {
	c := h.site.agent(vertex)
	c.Observe.HTTP, c.Testnet.Control = "", false // the referee reaches it directly
	c.Checkpoint.Fresh = fresh
	if !h.site.kept {
		c.Observe.Events.File = ""
		if !h.site.restarts() {
			c.Checkpoint.Dir = ""
		}
	}
	program := build.Read()
	n, err := node.Open(c, node.Options{
		Version: program.Version, Revision: program.Revision, ConfigHash: h.site.plan.Hash, Minimal: true,
	})
	if err != nil {
		return fmt.Errorf("peer %s: %w", c.Name, err)
	}
	if err := n.Slow(h.slow.of(vertex)); err != nil {
		n.Close()
		return err
	}
	ctx, end := context.WithCancelCause(context.Background())
	p := &host{Node: n, end: end, done: make(chan struct{})}
	h.peers[vertex] = p
	go func() {
		defer close(p.done)
		if _, p.err = n.Run(ctx); p.err != nil {
			p.err = fmt.Errorf("peer %s: %w", c.Name, p.err)
			tell(h.errors, p.err)
		}
	}()
	return nil
}

func (h *hosts) standings(context.Context) []*node.Standing {
	all := make([]*node.Standing, len(h.peers))
	for v, p := range h.peers {
		if p != nil {
			s := p.Standing()
			all[v] = &s
		}
	}
	return all
}

func (h *hosts) act(_ context.Context, a testnet.Action) error {
	p := h.peers[a.Peer]
	switch a.Do {
	case testnet.Slow:
		h.slow[a.Peer] = a.Factor
		if p != nil {
			return p.Slow(a.Factor)
		}
	case testnet.Kill, testnet.Leave:
		var cause error // nil: it says goodbye
		if a.Do == testnet.Kill {
			cause = node.ErrKilled
		}
		if p != nil {
			h.peers[a.Peer] = nil
			return p.stop(cause)
		}
	case testnet.Restart, testnet.Join:
		if p == nil {
			return h.open(a.Peer, a.Fresh || a.Do == testnet.Join)
		}
	case testnet.Pause, testnet.Resume, testnet.Partition, testnet.Relink:
		return fmt.Errorf("%s peer %d: runtime %s cannot; use runtime: %s",
			a.Do, a.Peer, testnet.InProcess, able(a.Do))
	}
	return nil // it is so already
}

// able is a runtime that can do what hosts in one process cannot.
func able(do testnet.Deed) testnet.RuntimeName {
	if do == testnet.Pause || do == testnet.Resume {
		return testnet.Processes
	}
	return testnet.VirtualTime
}

func (h *hosts) failed() <-chan error { return h.errors }

// stop lets all peers say goodbye; where files are kept they also take a last checkpoint.
func (h *hosts) stop() error {
	var cause error
	if !h.site.kept {
		cause = node.ErrKilled
	}
	for _, p := range h.peers {
		if p != nil {
			p.end(cause)
		}
	}
	var errs []error
	for _, p := range h.peers {
		if p != nil {
			errs = append(errs, p.stop(cause))
		}
	}
	return errors.Join(errs...)
}

// stop ends a peer and waits for it.
func (p *host) stop(cause error) error {
	p.end(cause)
	<-p.done
	return p.err
}
