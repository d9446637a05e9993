package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/testnet"
)

// newTestnetRun returns `starling testnet run`.
func newTestnetRun() *cobra.Command {
	var m manifest
	var quick bool
	var resume string
	cmd := &cobra.Command{
		Use: "run FILE", Short: "run the networks of a manifest and compare them", Args: arguments(1, 1),
		Long: "Runs every combination of the manifest's cases and sweep with every seed,\n" +
			"prints a table (or the summary as JSON) and leaves the results in a folder.\n" +
			"Exits with 4 if an expectation fails. --resume continues interrupted runs:\n" +
			"what their folder has is not run again.",
		Example: "  starling testnet run stragglers.yaml\n" +
			"  starling testnet run stragglers.yaml --set runtime=process --only auto --json\n" +
			"  starling testnet run stragglers.yaml --resume latest",
	}
	m.add(cmd)
	cmd.Flags().BoolVar(&quick, "quick", false, "run the part that the manifest's section quick describes")
	cmd.Flags().StringVar(&resume, "resume", "", "continue the runs of a folder, or of the latest one")
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		loaded, err := m.load(cmd, args[0])
		if err != nil {
			return err
		}
		printWarnings(cmd, loaded.Document)
		if quick {
			if err := loaded.Quickly(); err != nil {
				return usage("--quick: %v", err)
			}
		}
		if resume != "" {
			if err := loaded.Resume(resume); err != nil {
				return usage("--resume: %v", err)
			}
		}
		return runManifest(cmd, loaded, *asJSON)
	}
	return cmd
}

// runManifest runs all that was chosen, prints what it showed, and says where the files are.
func runManifest(cmd *cobra.Command, l *testnet.Loaded, asJSON bool) error {
	fmt.Fprintln(cmd.ErrOrStderr(), l.Headline())
	p := newProgress(cmd.ErrOrStderr(), l.Name, l.Count())
	summary, dir, err := testnet.Job{Manifest: l, Runtimes: runtimes(), Progress: p.tell}.Run(cmd.Context())
	p.clear()
	if summary != nil {
		// What was measured is told even if it could not be written, or is not all.
		err = errors.Join(err, printSummary(cmd, l, summary, asJSON))
	}
	if err != nil {
		if dir != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "resume  %s\n", l.ResumeCommand(dir))
		}
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

func printSummary(cmd *cobra.Command, l *testnet.Loaded, s *testnet.Summary, asJSON bool) error {
	if asJSON {
		return s.WriteJSON(cmd.OutOrStdout())
	}
	style := testnet.Style{Width: columns(cmd.OutOrStdout()), Repeat: l.Repeat}
	return s.WriteTable(cmd.OutOrStdout(), style)
}
