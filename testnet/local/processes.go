package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/testnet"
)

// Processes is the runtime with one process a peer. Every peer has a folder with its configuration, its
// identity, its checkpoints, its event log and what it printed.
type Processes struct {
	// Program runs a peer when it is called as `Program up -f agent.yaml`; empty: this program.
	Program string
}

// processCost is the processor time that starting one process takes.
const processCost = 600 * time.Millisecond

// Run implements testnet.Runtime.
func (p Processes) Run(ctx context.Context, plan *testnet.Plan) (testnet.Result, error) {
	program := p.Program
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return testnet.Result{}, fmt.Errorf("find this program to start peers with: %w", err)
		}
	}
	return run(ctx, plan, leadOf(plan, processCost), func(s *site) (network, error) { return startProcesses(program, s) })
}

// processes are the peers of a network, each in a process.
type processes struct {
	site    *site
	program string
	peers   []*child // by vertex; nil: it does not run
	paused  []bool
	slow    slowdowns
	client  *client
	known   []*node.Standing // the last answers, of peers that run
	errors  chan error
}

func startProcesses(program string, s *site) (network, error) {
	count := len(s.ids)
	p := &processes{
		site: s, program: program, peers: make([]*child, count), paused: make([]bool, count),
		slow: slowdowns{}, known: make([]*node.Standing, count), errors: make(chan error, count),
	}
	var err error
	if p.client, err = newClient(s); err != nil {
		return nil, err
	}
	for v, late := range s.plan.Late() {
		if late {
			continue
		}
		if err := p.start(v, false); err != nil {
			return nil, errors.Join(err, p.stop())
		}
	}
	return p, nil
}

// start starts the peer at a vertex.
func (p *processes) start(vertex int, fresh bool) error {
	c := p.site.agent(vertex)
	c.Checkpoint.Fresh = fresh
	folder := p.site.folder(vertex)
	path := filepath.Join(folder, configFile)
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the configuration of peer %s: %w", c.Name, err)
	}
	if err := errors.Join(settings.Write(file, c, node.DefaultConfig()), file.Close()); err != nil {
		return fmt.Errorf("write the configuration of peer %s: %w", c.Name, err)
	}
	started, err := startChild(folder, p.program, []string{"up", "-f", configFile})
	if err != nil {
		return fmt.Errorf("peer %s: %w", c.Name, err)
	}
	p.peers[vertex] = started
	go func() {
		<-started.done
		if err := started.ended(); err != nil {
			tell(p.errors, fmt.Errorf("peer %s: %w", c.Name, err))
		}
	}()
	return nil
}

// standings asks all peers at once. A peer that is paused or does not answer stands where it stood.
func (p *processes) standings(ctx context.Context) []*node.Standing {
	var asked sync.WaitGroup
	answers := make([]*node.Standing, len(p.peers))
	for v, running := range p.peers {
		if running != nil && !p.paused[v] {
			asked.Go(func() { answers[v] = p.client.standing(ctx, v) })
		}
	}
	asked.Wait()
	for v, answer := range answers {
		if answer != nil {
			p.known[v] = answer
		}
	}
	all := make([]*node.Standing, len(p.known))
	copy(all, p.known)
	return all
}

func (p *processes) act(ctx context.Context, a testnet.Action) error {
	v := a.Peer
	if a.Do == testnet.Slow {
		p.slow[v] = a.Factor
	}
	running := p.peers[v]
	starts := a.Do == testnet.Restart || a.Do == testnet.Join
	switch {
	case running == nil && starts:
		return p.restart(ctx, a)
	case running == nil, starts:
		return nil // it is so already
	}
	switch a.Do {
	case testnet.Slow:
		if p.paused[v] {
			return nil // told when it goes on
		}
		return p.client.slow(ctx, v, a.Factor)
	case testnet.Pause:
		p.paused[v] = true
		return running.pause()
	case testnet.Resume:
		p.paused[v] = false
		if err := running.resume(); err != nil {
			return err
		}
		return p.client.slow(ctx, v, p.slow.of(v))
	case testnet.Kill:
		p.peers[v], p.paused[v], p.known[v] = nil, false, nil
		return running.kill()
	case testnet.Leave:
		p.peers[v], p.known[v] = nil, nil
		return p.dismiss(running, v)
	case testnet.Partition, testnet.Relink:
		return fmt.Errorf("%s peer %d: runtime %s cannot; use runtime: %s",
			a.Do, v, testnet.Processes, testnet.VirtualTime)
	case testnet.Restart, testnet.Join:
	}
	return nil
}

// dismiss lets a peer leave in good order, and kills it if it does not.
func (p *processes) dismiss(running *child, vertex int) error {
	if p.paused[vertex] {
		p.paused[vertex] = false
		if err := running.resume(); err != nil {
			return err
		}
	}
	if err := running.ask(); err != nil {
		return err
	}
	select {
	case <-running.done:
		return nil
	case <-time.After(patience):
		return running.kill()
	}
}

// restart starts a peer that does not run, as slow as it was.
func (p *processes) restart(ctx context.Context, a testnet.Action) error {
	if err := p.start(a.Peer, a.Fresh || a.Do == testnet.Join); err != nil {
		return err
	}
	factor, slowed := p.slow[a.Peer]
	if !slowed {
		return nil
	}
	go func() { // it listens in a moment; the others go on meanwhile
		if err := p.client.slowOnceUp(ctx, a.Peer, factor); err != nil {
			tell(p.errors, err)
		}
	}()
	return nil
}

func (p *processes) failed() <-chan error { return p.errors }

// patience is how long peers get to leave in good order.
const patience = 10 * time.Second

// stop asks all peers to leave and kills those that do not.
func (p *processes) stop() error {
	p.client.close()
	var errs []error
	for v, running := range p.peers {
		if running == nil {
			continue
		}
		if p.paused[v] {
			errs = append(errs, running.resume())
		}
		errs = append(errs, running.ask())
	}
	deadline := time.After(patience)
	for _, running := range p.peers {
		if running == nil {
			continue
		}
		select {
		case <-running.done:
		case <-deadline:
			deadline = closedTimer()
			errs = append(errs, running.kill())
		}
	}
	return errors.Join(errs...)
}

// closedTimer is a deadline that is over for good.
func closedTimer() <-chan time.Time {
	over := make(chan time.Time)
	close(over)
	return over
}
