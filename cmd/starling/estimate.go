package main

import (
	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/testnet/estimate"
)

// newEstimate returns `starling estimate`.
func newEstimate() *cobra.Command {
	var m manifest
	var most int
	cmd := &cobra.Command{
		Use: "estimate FILE", Short: "tell how fast a network of a manifest will be, without running it",
		Long: "Answers from a model of costs how the time of a round and the throughput grow\n" +
			"with the number of peers, and from where on sending takes longer than training.\n" +
			"docs/ESTIMATE.md has the equations, and how far they are from the simulator.",
		Example: "  starling estimate stragglers.yaml --only dpsgd\n" +
			"  starling estimate stragglers.yaml --set peers.defaults.link.up=8Mbit/s --json",
		Args: arguments(1, 1),
	}
	m.addChoice(cmd)
	cmd.Flags().IntVar(&most, "peers", 64, "largest number of peers in the table")
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		loaded, err := m.load(cmd, args[0])
		if err != nil {
			return err
		}
		printWarnings(cmd, loaded.Document)
		report, err := estimate.Grow(loaded, most)
		if err != nil {
			return exit{exitUsage, err}
		}
		if *asJSON {
			return report.WriteJSON(cmd.OutOrStdout())
		}
		return report.WriteTable(cmd.OutOrStdout())
	}
	return cmd
}
