package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/testnet/eventlog"
)

// eventFlags are the flags of `starling events`.
type eventFlags struct {
	peers, kinds []string
	from, to     time.Duration
	round        string
}

// newEvents returns `starling events`.
func newEvents() *cobra.Command {
	var f eventFlags
	cmd := &cobra.Command{
		Use: "events FILE|DIR", Short: "filter the event logs of a file or a folder", Args: arguments(1, 1),
		Long: "Prints the events of a log, or of all logs below a folder in the order of time,\n" +
			"a line each: the time of the run's clock, who wrote it, its kind, and its\n" +
			"fields. --json prints the lines as they are in the logs. What is kept is said\n" +
			"by output.events of a manifest and observe.events.level of an agent.",
		Example: "  starling events runs/2026-11-30T22-31-09-stragglers --kind eval --from 10s\n" +
			"  starling events events.jsonl --peer 3 --kind mix,lost --round 40-60\n" +
			"  starling events runs --kind window --json > windows.jsonl",
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.peers, "peer", nil, "only what these peers wrote: names, or identities from 8 letters on")
	flags.StringSliceVar(&f.kinds, "kind", nil, "only these kinds or families, as in mix,member")
	flags.DurationVar(&f.from, "from", 0, "only from this time of the run on, as in 10s")
	flags.DurationVar(&f.to, "to", 0, "only up to this time of the run")
	flags.StringVar(&f.round, "round", "", "only events of a round or a range of them: 7, 3-9, 3-")
	completes(cmd, "kind", eventlog.Kinds())
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		filter, err := f.filter(cmd)
		if err != nil {
			return err
		}
		return printEvents(cmd, args[0], filter, *asJSON)
	}
	return cmd
}

// filter is what the flags want.
func (f *eventFlags) filter(cmd *cobra.Command) (*eventlog.Filter, error) {
	filter := &eventlog.Filter{Peers: f.peers, Kinds: f.kinds}
	for _, kind := range f.kinds {
		if !slices.Contains(eventlog.Kinds(), kind) {
			return nil, notOneOf(kind, eventlog.Kinds())
		}
	}
	if cmd.Flags().Changed("from") {
		filter.From = &f.from
	}
	if cmd.Flags().Changed("to") {
		filter.To = &f.to
	}
	if filter.From != nil && filter.To != nil && f.from > f.to {
		return nil, usage("--from %s is after --to %s", f.from, f.to)
	}
	if f.round != "" {
		span, err := eventlog.ParseSpan(f.round)
		if err != nil {
			return nil, usage("--round: %w", err)
		}
		filter.Rounds = &span
	}
	return filter, nil
}

// printEvents prints what a filter wants, with a headline for each run when there are several.
func printEvents(cmd *cobra.Command, path string, filter *eventlog.Filter, asJSON bool) error {
	logs, err := eventlog.Find(path)
	if errors.Is(err, fs.ErrNotExist) {
		return usage("%s: no such file or folder; name an events.jsonl, or the folder of a run", path)
	}
	if err != nil {
		return usage("%w", err)
	}
	runs, err := eventlog.Collect(logs, filter, func(file string, torn eventlog.Torn) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s:%d: %s left out that are no events, such as the last of a peer that was killed\n",
			file, torn.First, counted(torn.Count, "line"))
	})
	if errors.Is(err, eventlog.ErrNoLog) {
		return usage("%w; name an events.jsonl, or the folder of a run", err)
	}
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	for i := range runs {
		writeRun(out, &runs[i], len(runs) > 1, asJSON)
	}
	return out.Flush()
}

func writeRun(out *bufio.Writer, run *eventlog.Selected, several, asJSON bool) {
	if several && !asJSON && len(run.Lines) > 0 {
		fmt.Fprintf(out, "%s\n", eventlog.Clean(run.Run))
	}
	width := 0
	for i := range run.Lines {
		width = max(width, utf8.RuneCountInString(run.Lines[i].Name))
	}
	for i := range run.Lines {
		if asJSON {
			out.Write(run.Lines[i].Raw)
			out.WriteByte('\n')
		} else {
			out.WriteString(eventlog.Human(&run.Lines[i], width) + "\n")
		}
	}
}
