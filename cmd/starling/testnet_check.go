package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/topology"
)

// newTestnetCheck returns `starling testnet check`.
func newTestnetCheck() *cobra.Command {
	var m manifest
	cmd := &cobra.Command{
		Use: "check FILE", Short: "report every mistake in a manifest, and what it would run", Args: arguments(1, 1),
		Example: "  starling testnet check stragglers.yaml",
	}
	m.add(cmd)
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		loaded, err := m.load(cmd, args[0])
		if *asJSON && loaded != nil && loaded.Document != nil {
			return printChecked(cmd, kindTestnet, loaded.Document, err)
		}
		if err != nil {
			return err
		}
		printWarnings(cmd, loaded.Document)
		return describe(cmd.OutOrStdout(), loaded)
	}
	return cmd
}

// describe tells what a manifest runs.
func describe(w io.Writer, l *testnet.Loaded) error {
	text := l.Name
	if l.Description != "" {
		text += ": " + l.Description
	}
	text += fmt.Sprintf("\n%s\n%s of %s, runtime %s", topology.Inspect(l.Graph()), counted(l.Count(), "run"),
		l.Train.Stop.Time, l.Runtime)
	for _, line := range l.Choices() {
		text += "\n  " + line
	}
	_, err := fmt.Fprintf(w, "%s\n%s, %s\n", text, counted(len(l.Schedule), "perturbation"),
		counted(len(l.Expect), "expectation"))
	return err
}
