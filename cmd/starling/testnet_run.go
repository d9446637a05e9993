package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/testnet"
)

// newTestnetRun returns `starling testnet run`.
func newTestnetRun() *cobra.Command {
	var m manifest
	cmd := &cobra.Command{
		Use: "run FILE", Short: "run the networks of a manifest and compare them", Args: arguments(1, 1),
		Long: "Runs every combination of the manifest's sweep with every seed, prints a table\n" +
			"(or the summary as JSON) and leaves the event logs in a folder. Exits with 4 if\n" +
			"an expectation fails.",
		Example: "  starling testnet run stragglers.yaml\n" +
			"  starling testnet run stragglers.yaml --set runtime=process --only pulse --json",
	}
	m.add(cmd)
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		loaded, err := m.load(cmd, args[0])
		if err != nil {
			return err
		}
		printWarnings(cmd, loaded.Document)
		plans, err := loaded.Plans()
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s  %s of %s, runtime %s\n", loaded.Name, counted(len(plans), "run"),
			settings.Duration(plans[0].Stop.Time), loaded.Runtime)
		p := newProgress(cmd.ErrOrStderr(), loaded.Name)
		job := testnet.Job{Manifest: loaded, Runtimes: runtimes(), Progress: p.tell}
		summary, dir, err := job.Run(cmd.Context())
		p.clear()
		if summary == nil {
			return err
		}
		// What was measured is told even if it could not be written.
		if err := errors.Join(err, printSummary(cmd, loaded, summary, *asJSON)); err != nil {
			return err
		}
		if dir != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "files  %s\n", dir)
		}
		if !summary.OK() {
			return exit{code: exitExpectation} // the table says which
		}
		return nil
	}
	return cmd
}

func printSummary(cmd *cobra.Command, l *testnet.Loaded, s *testnet.Summary, asJSON bool) error {
	if asJSON {
		return s.WriteJSON(cmd.OutOrStdout())
	}
	return s.WriteTable(cmd.OutOrStdout(), l.Repeat)
}

// progress tells of finished runs: in place on a terminal, else a line every few seconds.
type progress struct {
	out      io.Writer
	name     string
	terminal bool
	started  time.Time
	told     time.Time
}

// quiet is the time between two lines where lines stay.
const quiet = 5 * time.Second

func newProgress(out io.Writer, name string) *progress {
	return &progress{out: out, name: name, terminal: isTerminal(out), started: time.Now(), told: time.Now()}
}

// tell is a testnet.Progress.
func (p *progress) tell(done, all int, plan *testnet.Plan, _ testnet.Result) {
	now := time.Now()
	if !p.terminal && done < all && now.Sub(p.told) < quiet {
		return
	}
	p.told = now
	line := fmt.Sprintf("%s  %d of %d runs", p.name, done, all)
	if done < all {
		left := now.Sub(p.started) / time.Duration(done) * time.Duration(all-done)
		line += fmt.Sprintf("   %s left", left.Round(time.Second))
	}
	line += "   last: " + plan.Label
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K%s", clip(line, columns(p.out)-1))
		return
	}
	fmt.Fprintln(p.out, line)
}

// clear removes the line from a terminal.
func (p *progress) clear() {
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
