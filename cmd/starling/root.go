package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const rootLong = `Starling trains one model on many machines without a server. Each peer trains
its own copy on its own data, waits for the fastest of its neighbours, and
averages with all of them: slow peers hold nobody up, and their data count.

  starling demo             eight peers on this machine, one of them slow
  starling testnet init     a network in a file, to be edited and run
  starling agent init       a peer of your own

Exit codes: 0 ok, 1 failed, 2 usage or configuration, 3 no peer reached,
4 an expectation failed, 5 storage, 6 worker failed, 130 interrupted.`

// newRoot returns the tree of commands.
func newRoot() *cobra.Command {
	root := group("starling", "decentralised training that does not wait for stragglers",
		newDemo(), newTestnet(), newReport(), newEvents(), newEstimate(), newAgent(), newUp(), newModel(),
		newRecipes(), newTopology(), newConfig(), newVersion())
	root.Long = rootLong
	root.SilenceErrors, root.SilenceUsage = true, true
	root.PersistentFlags().Bool("no-color", false, "no colours, as with NO_COLOR=1")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w\nsee %s --help", err, cmd.CommandPath())
	})
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	addCompletion(root)
	return root
}

// addCompletion adds cobra's own command, which takes mistakes for what it prints help for.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic(err) // it has just been added
	}
	completion.Args, completion.RunE = knownCommand, help
	for _, shell := range completion.Commands() {
		shell.Args = arguments(0, 0)
	}
}

// group returns a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, SuggestionsMinimumDistance: 2, Args: knownCommand, RunE: help,
	}
	cmd.AddCommand(commands...)
	return cmd
}

func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// knownCommand refuses words that reach a command which only holds others.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usage("unknown command %q; did you mean %q?", args[0], cmd.CommandPath()+" "+near[0])
	}
	return usage("unknown command %q; see %s --help", args[0], cmd.CommandPath())
}

// arguments demands from low to high arguments, which the use line names.
func arguments(low, high int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < low:
			_, names, _ := strings.Cut(cmd.Use, " ")
			return usage("an argument is missing: %s %s", cmd.CommandPath(), names)
		case len(args) > high:
			return usage("unexpected argument %q; see %s --help", args[high], cmd.CommandPath())
		default:
			return nil
		}
	}
}
