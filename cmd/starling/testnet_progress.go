package main

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/starling-ml/starling/testnet"
)

// progress tells of finished runs: a bar on a terminal, else a line every few seconds.
type progress struct {
	out     io.Writer
	name    string
	started time.Time
	told    time.Time
	pool    *mpb.Progress // nil: lines
	bar     *mpb.Bar
	last    chan string // what the bar says of the last run; never empty
}

// quiet is the time between two lines where lines stay.
const quiet = 5 * time.Second

func newProgress(out io.Writer, name string, runs int) *progress {
	p := &progress{out: out, name: name, started: time.Now(), told: time.Now()}
	if !isTerminal(out) {
		return p
	}
	p.last = make(chan string, 1)
	p.last <- ""
	p.pool = mpb.New(mpb.WithOutput(out), mpb.WithWidth(barWidth))
	p.bar = p.pool.New(int64(runs), mpb.BarStyle().Lbound("[").Filler("#").Tip("#").Padding("-").Rbound("]"),
		mpb.BarRemoveOnComplete(),
		mpb.AppendDecorators(
			decor.CountersNoUnit("  %d/%d"),
			decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO, decor.WC{W: 1}), ""),
			decor.Any(func(s decor.Statistics) string { return clip(p.peek(), s.AvailableWidth-barWidth-spared) }),
		))
	return p
}

const (
	barWidth = 24 // columns
	spared   = 26 // columns for the counters and the time that is left
)

// peek returns what is said of the last run.
func (p *progress) peek() string {
	last := <-p.last
	p.last <- last
	return last
}

// tell is a testnet.Progress.
func (p *progress) tell(done, all int, plan *testnet.Plan, result testnet.Result) {
	last := lastRun(plan, result)
	if p.bar != nil {
		<-p.last
		p.last <- "   " + last
		p.bar.SetCurrent(int64(done))
		return
	}
	now := time.Now()
	if done < all && now.Sub(p.told) < quiet {
		return
	}
	p.told = now
	line := fmt.Sprintf("%s  %d of %d runs", p.name, done, all)
	if done < all {
		left := now.Sub(p.started) / time.Duration(done) * time.Duration(all-done)
		line += fmt.Sprintf("   eta %s", left.Round(time.Second))
	}
	fmt.Fprintln(p.out, line+"   "+last)
}

// lastRun says in few words how a run went.
func lastRun(plan *testnet.Plan, result testnet.Result) string {
	text := "last: " + plan.Label
	if plan.Stop.Metric == "" {
		return fmt.Sprintf("%s  loss %.3g", text, float64(result.Loss))
	}
	at, _ := result.Metric("time_to_target_s")
	if math.IsInf(at, 1) {
		return text + "  target not reached"
	}
	return fmt.Sprintf("%s  target at %.3g s", text, at)
}

// clear removes the bar from a terminal.
func (p *progress) clear() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.pool.Wait()
	}
}
