package testnet

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Runtime runs one network to its end and measures it. With Plan.Dir it leaves the event logs of the
// peers there.
type Runtime interface {
	Run(ctx context.Context, plan *Plan) (Result, error)
}

// Progress is told of every run that has ended, one call at a time.
type Progress func(done, all int, plan *Plan, result Result)

// Job is one call of a manifest.
type Job struct {
	Manifest *Loaded
	Runtimes map[RuntimeName]Runtime
	Progress Progress // nil: nobody is told
}

// Run runs every plan of the manifest and judges the results. It returns the folder with the files of
// the runs, "" when none is kept. Runs in virtual time share the processors; others go one by one.
func (j Job) Run(ctx context.Context) (*Summary, string, error) {
	plans, err := j.Manifest.Plans()
	if err != nil {
		return nil, "", err
	}
	dir, err := openDirectory(j.Manifest)
	if err != nil {
		return nil, "", err
	}
	for _, p := range plans {
		p.Dir = dir.of(p, len(plans))
	}
	results, err := j.runAll(ctx, plans)
	if err != nil {
		return nil, dir.path, dir.fail(err)
	}
	summary := j.Manifest.judge(results)
	kept, err := dir.finish(j.Manifest, summary, plans[0].Graph)
	return summary, kept, err
}

// judge makes the summary.
func (l *Loaded) judge(results []Result) *Summary {
	s := &Summary{V: 1, Runs: results, Expectations: []Verdict{}}
	for i, e := range l.Expect {
		verdict := Judge(e, results)
		verdict.Line = l.Document.Line(fmt.Sprintf("expect.%d.metric", i))
		s.Expectations = append(s.Expectations, verdict)
	}
	return s
}

// runAll runs the plans and returns their results in order. The first error ends all runs.
func (j Job) runAll(ctx context.Context, plans []*Plan) ([]Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex // guards done and the calls of Progress
	done := 0
	results := make([]Result, len(plans))
	one := func(i int) {
		if ctx.Err() != nil {
			return
		}
		result, err := j.runOne(ctx, plans[i])
		if err != nil {
			cancel(fmt.Errorf("%s: %w", plans[i].Label, err))
			return
		}
		mu.Lock()
		defer mu.Unlock()
		results[i] = result
		done++
		if j.Progress != nil {
			j.Progress(done, len(plans), plans[i], result)
		}
	}
	eachPlan(plans, one)
	return results, context.Cause(ctx)
}

// eachPlan calls one for every plan: first those in virtual time, on all processors, then the others.
func eachPlan(plans []*Plan, one func(i int)) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				one(i)
			}
		})
	}
	for i, p := range plans {
		if p.Runtime == VirtualTime {
			next <- i
		}
	}
	close(next)
	workers.Wait()
	for i, p := range plans {
		if p.Runtime != VirtualTime {
			one(i)
		}
	}
}

func (j Job) runOne(ctx context.Context, plan *Plan) (Result, error) {
	runtime := j.Runtimes[plan.Runtime]
	if runtime == nil {
		return Result{}, fmt.Errorf("runtime %s is not available here", plan.Runtime)
	}
	return runtime.Run(ctx, plan)
}

// Headline says in one line what is going to run.
func (l *Loaded) Headline() string {
	combinations := l.combinations()
	text := fmt.Sprintf("%s  %d runs", l.Name, len(combinations)*l.Seeds)
	var parts []string
	for _, key := range l.sweepKeys() {
		parts = append(parts, fmt.Sprintf("%d %s", len(l.Sweep[key]), lastKey(key)))
	}
	if l.Seeds > 1 {
		parts = append(parts, fmt.Sprintf("%d seeds", l.Seeds))
	}
	if parts != nil {
		text += " = " + strings.Join(parts, " x ")
	}
	clock := map[RuntimeName]string{
		VirtualTime: "virtual clock", InProcess: "libp2p hosts in one process", Processes: "one process a peer",
	}
	return text + "   " + clock[l.Runtime]
}

// Repeat returns the command that repeats one run of a manifest.
func (l *Loaded) Repeat(r Result) string {
	args := "starling testnet run"
	for _, f := range l.sources.Files {
		args += " " + f.Name
	}
	for _, pair := range l.sources.Set {
		args += " --set '" + pair + "'"
	}
	for _, key := range l.sweepKeys() {
		term := key + "=" + r.Sweep[key]
		if key == recipeKey {
			term = r.Recipe
		}
		args += " --only " + term
	}
	return fmt.Sprintf("%s --seed %d", args, r.Seed)
}

// of returns the folder of one plan: that of the job when it is alone.
func (d *directory) of(p *Plan, plans int) string {
	if d.path == "" || plans == 1 {
		return d.path
	}
	return filepath.Join(d.path, p.Label)
}
