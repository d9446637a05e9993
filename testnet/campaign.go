package testnet

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
)

// campaign is a job under way: which runs may start, and what those that ended have shown. A combination
// that is tuned is run with every candidate first; when the last of these runs ends, the reporting runs
// with the best candidate come next.
type campaign struct {
	job    Job
	dir    *directory
	groups []*group
	all    int // runs

	mu      sync.Mutex // guards all below, what the groups have measured, and the calls of Progress
	turn    *sync.Cond // something below has changed
	ready   []trial    // runs that may start, in this order
	running int
	alone   bool // what runs is not in virtual time and has the machine for itself
	done    int
}

// group is one combination of cases and sweep.
type group struct {
	combination combination
	virtual     bool
	tuning      [][]Result  // by candidate and seed
	left        int         // runs for tuning that have not ended
	best        combination // the candidate that was chosen; empty if nothing is tuned
	results     []Result    // by reporting seed
	ended       []bool
}

// trial is one run to do.
type trial struct {
	*group
	candidate int // that it tries; -1: it reports
	index     int // of its seed
	seed      uint64
}

func newCampaign(j Job, dir *directory) *campaign {
	l := j.Manifest
	c := &campaign{job: j, dir: dir, all: l.Count()}
	c.turn = sync.NewCond(&c.mu)
	for _, combination := range product(l.chosenAxes()) {
		g := &group{combination: combination, virtual: l.with(combination).Runtime == VirtualTime}
		c.groups = append(c.groups, g)
		if l.Tune == nil {
			c.ready = append(c.ready, g.report(l)...)
		} else {
			c.ready = append(c.ready, g.tune(l)...)
		}
	}
	return c
}

// report returns the reporting runs of a combination.
func (g *group) report(l *Loaded) []trial {
	var trials []trial
	for i, seed := range l.seeds() {
		trials = append(trials, trial{group: g, candidate: -1, index: i, seed: seed})
	}
	g.results, g.ended = make([]Result, len(trials)), make([]bool, len(trials))
	return trials
}

// tune returns the runs that tune a combination.
func (g *group) tune(l *Loaded) []trial {
	var trials []trial
	seeds := l.Tune.seeds(l.Seed)
	for candidate := range l.Tune.candidates() {
		g.tuning = append(g.tuning, make([]Result, len(seeds)))
		for i, seed := range seeds {
			trials = append(trials, trial{group: g, candidate: candidate, index: i, seed: seed})
		}
	}
	g.left = len(trials)
	return trials
}

// run does all runs. The first error ends it.
func (c *campaign) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.turn.Broadcast()
	})()
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for t, ok := c.next(ctx); ok; t, ok = c.next(ctx) {
				plan, result, err := c.do(ctx, t)
				if err != nil {
					cancel(err)
				}
				c.end(t, plan, result, err)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// next waits for a run that may start; there is none when all have ended.
func (c *campaign) next(ctx context.Context) (trial, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ctx.Err() == nil {
		if at := c.startable(); at >= 0 {
			t := c.ready[at]
			c.ready = slices.Delete(c.ready, at, at+1)
			c.running++
			c.alone = !t.virtual
			return t, true
		}
		if c.running == 0 {
			break
		}
		c.turn.Wait()
	}
	return trial{}, false
}

// startable returns the index of the run to start now, -1 for none: first those in virtual time, side by
// side, then the others one by one.
func (c *campaign) startable() int {
	if c.alone {
		return -1
	}
	if at := slices.IndexFunc(c.ready, func(t trial) bool { return t.virtual }); at >= 0 {
		return at
	}
	if c.running == 0 && len(c.ready) > 0 {
		return 0
	}
	return -1
}

// do does one run, or finds its result in the folder.
func (c *campaign) do(ctx context.Context, t trial) (*Plan, Result, error) {
	manifest, plan, err := c.plan(t)
	if err != nil {
		return nil, Result{}, err
	}
	key, err := manifest.key(plan)
	if err != nil {
		return nil, Result{}, err
	}
	if known, ok := c.dir.recall(key); ok {
		known.Recipe, known.Sweep, known.Tuned = plan.Recipe, plan.Sweep, plan.Tuned // as they are called now
		return plan, known, nil
	}
	runtime := c.job.Runtimes[plan.Runtime]
	if runtime == nil {
		return nil, Result{}, fmt.Errorf("%s: runtime %s is not available here", plan.Label, plan.Runtime)
	}
	result, err := runtime.Run(ctx, plan)
	if err != nil {
		return nil, Result{}, fmt.Errorf("%s: %w", plan.Label, err)
	}
	return plan, result, c.dir.keep(outcome{Key: key, Label: plan.Label, Result: result})
}

// plan decides everything for one run.
func (c *campaign) plan(t trial) (*Loaded, *Plan, error) {
	l := c.job.Manifest
	if t.candidate >= 0 {
		candidate := l.Tune.candidates()[t.candidate]
		manifest := l.with(t.combination.and(candidate))
		plan, err := manifest.plan(t.combination, t.seed)
		if err != nil {
			return nil, nil, err
		}
		plan.Label = t.combination.and(candidate).label(plan.Recipe, t.seed)
		plan.Stop.AtTarget = l.Tune.UntilTarget
		return manifest, plan, nil
	}
	manifest := l.with(t.combination.and(t.best))
	plan, err := manifest.plan(t.combination, t.seed)
	if err != nil {
		return nil, nil, err
	}
	if t.best != nil {
		plan.Tuned = t.best.swept()
	}
	if l.Output.Events != "none" {
		plan.Dir = c.folder(plan)
	}
	return manifest, plan, nil
}

// folder is where the files of a reporting run go: that of the job when the run is alone.
func (c *campaign) folder(p *Plan) string {
	if c.dir.path == "" || c.all == 1 {
		return c.dir.path
	}
	return filepath.Join(c.dir.path, p.Label)
}

// end takes note of a run that has ended.
func (c *campaign) end(t trial, plan *Plan, result Result, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.turn.Broadcast()
	c.running--
	c.alone = false
	if err != nil {
		return
	}
	c.done++
	if t.candidate < 0 {
		t.results[t.index], t.ended[t.index] = result, true
	} else {
		t.tuning[t.candidate][t.index] = result
		if t.left--; t.left == 0 {
			c.choose(t.group)
		}
	}
	if c.job.Progress != nil {
		c.job.Progress(c.done, c.all, plan, result)
	}
}

// choose takes the best candidate of a combination, whose reporting runs come next.
func (c *campaign) choose(g *group) {
	l := c.job.Manifest
	candidates := l.Tune.candidates()
	g.best = candidates[l.Tune.best(candidates, g.tuning)]
	g.tuning = nil
	c.ready = slices.Insert(c.ready, 0, g.report(l)...)
}

// results returns those of the reporting runs that have ended, in the order of combinations and seeds.
func (c *campaign) results() []Result {
	var all []Result
	for _, g := range c.groups {
		for i, ended := range g.ended {
			if ended {
				all = append(all, g.results[i])
			}
		}
	}
	return all
}
