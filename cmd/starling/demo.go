package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/testnet/demo"
)

// demoFlags are the flags of `starling demo`.
type demoFlags struct {
	peers   int
	slow    string
	recipes []string
	seconds float64
	virtual bool
	asJSON  *bool
	kills   []string
	keep    string
	seed    uint64
}

// newDemo returns `starling demo`.
func newDemo() *cobra.Command {
	var f demoFlags
	d := demo.Default()
	cmd := &cobra.Command{
		Use: "demo", Short: "eight peers here, one of them slow: three ways to live with it",
		Long: "Trains a small network on images of handwritten digits, over libp2p on\n" +
			"127.0.0.1, once for each way to deal with a slow peer that alone has the images\n" +
			"of one digit. Needs no network and keeps nothing.",
		Example: "  starling demo\n  starling demo --slow 1x\n  starling demo --virtual --json\n" +
			"  starling demo --recipe dpsgd,backup,quorum,auto --kill 5@4s",
		Args: arguments(0, 0),
	}
	flags := cmd.Flags()
	flags.IntVar(&f.peers, "peers", d.Peers, "number of peers")
	flags.StringVar(&f.slow, "slow", settings.Factor(d.Slow).String(), "how many times slower the slow peer is")
	flags.StringSliceVar(&f.recipes, "recipe", laneWords(d.Lanes), "recipes to compare, RECIPE or RECIPE:MIX")
	flags.Float64Var(&f.seconds, "seconds", d.Length.Seconds(), "time of each of them")
	flags.BoolVar(&f.virtual, "virtual", false, "simulated clock and links: over in a moment, and the same every time")
	flags.StringArrayVar(&f.kills, "kill", nil, "kill a peer while it trains, as in 5@8s")
	flags.StringVar(&f.keep, "keep", "", "folder for the event logs of the peers")
	flags.Uint64Var(&f.seed, "seed", d.Seed, "where every random choice comes from")
	completes(cmd, "recipe", settings.Recipe("").Choices())
	f.asJSON = addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.run(cmd) }
	return cmd
}

func laneWords(lanes []demo.Lane) []string {
	var words []string
	for _, lane := range lanes {
		words = append(words, lane.String())
	}
	return words
}

// config is what the flags say.
func (f *demoFlags) config() (demo.Config, error) {
	c := demo.Default()
	c.Peers, c.Seed, c.Dir = f.peers, f.seed, f.keep
	if !(f.seconds > 0 && f.seconds < 1e6) {
		return c, usage("--seconds %g: take 1 or more, and less than a million", f.seconds)
	}
	c.Length = time.Duration(f.seconds * float64(time.Second))
	if f.virtual {
		c.Runtime = testnet.VirtualTime
	}
	var slow settings.Factor
	if err := slow.UnmarshalText([]byte(f.slow)); err != nil {
		return c, usage("--slow: %w", err)
	}
	c.Slow, c.Lanes = float64(slow), nil
	for _, word := range f.recipes {
		lane, err := demo.ParseLane(word)
		if err != nil {
			return c, usage("--recipe: %w", err)
		}
		c.Lanes = append(c.Lanes, lane)
	}
	for _, word := range f.kills {
		kill, err := parseKill(word)
		if err != nil {
			return c, err
		}
		c.Kills = append(c.Kills, kill)
	}
	if err := c.Validate(); err != nil {
		return c, exit{exitUsage, err}
	}
	return c, nil
}

// parseKill reads PEER@TIME.
func parseKill(word string) (demo.Kill, error) {
	peer, at, ok := strings.Cut(word, "@")
	var kill demo.Kill
	var err error
	if ok {
		if kill.Peer, err = strconv.Atoi(peer); err == nil {
			kill.At, err = time.ParseDuration(at)
		}
	}
	if !ok || err != nil {
		return kill, usage("--kill %q: name a peer and a time, as in 5@8s", word)
	}
	return kill, nil
}

func (f *demoFlags) run(cmd *cobra.Command) error {
	c, err := f.config()
	if err != nil {
		return err
	}
	began, asked := time.Now(), c.Pace
	runtime := runtimes()[c.Runtime]
	if !f.virtual {
		fmt.Fprintln(cmd.ErrOrStderr(), "starting; looking for a pace that this machine can keep")
		if c.Pace, err = c.Probe(cmd.Context(), runtime); err != nil {
			return err
		}
	}
	plans, err := c.Plans()
	if err != nil {
		return err
	}
	ctx, quit := context.WithCancelCause(cmd.Context())
	defer quit(nil)
	b := newBoard(cmd, c, *f.asJSON)
	if !*f.asJSON {
		if err := b.head(plans[0], asked); err != nil {
			return err
		}
	}
	release := b.keys(plans, quit)
	for i, plan := range plans {
		plan.Watch = func(m testnet.Moment) { b.moment(i, m) }
	}
	outcomes, err := c.Run(ctx, runtime, plans)
	release()
	switch {
	case errors.Is(context.Cause(ctx), errQuit):
		return exit{exitInterrupted, errQuit}
	case err != nil:
		return err
	case *f.asJSON:
		return printJSON(cmd.OutOrStdout(), demoSummary(outcomes))
	}
	return b.end(outcomes, time.Since(began))
}

// demoLane and demoResult are what --json prints.
type demoLane struct {
	Recipe       string   `json:"recipe"`
	Accuracy     float64  `json:"accuracy"`
	Recall       float64  `json:"recall_slow_class"`
	StepRate     float64  `json:"steps_per_s"`
	WaitingRatio float64  `json:"waiting_ratio"`
	TimeToTarget *float64 `json:"time_to_target_s"`
}

type demoResult struct {
	V     int        `json:"v"`
	Lanes []demoLane `json:"lanes"`
}

func demoSummary(outcomes []demo.Outcome) demoResult {
	s := demoResult{V: 1}
	for _, o := range outcomes {
		s.Lanes = append(s.Lanes, demoLane{
			o.Lane.String(), o.Accuracy, o.Recall[demo.Class], o.StepRate, o.WaitingRatio, o.TimeToTarget,
		})
	}
	return s
}
