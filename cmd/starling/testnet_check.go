package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/settings"
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
	plans, err := l.Plans()
	if err != nil {
		return err
	}
	text := l.Name
	if l.Description != "" {
		text += ": " + l.Description
	}
	text += fmt.Sprintf("\n%s\n%s of %s, runtime %s", topology.Inspect(plans[0].Graph),
		counted(len(plans), "run"), settings.Duration(plans[0].Stop.Time), l.Runtime)
	for _, key := range slices.Sorted(maps.Keys(l.Sweep)) {
		text += fmt.Sprintf("\n  %s: %s", key, strings.Join(settings.Words(l.Sweep[key]), ", "))
	}
	if l.Seeds > 1 {
		text += fmt.Sprintf("\n  seeds: %d to %d", l.Seed, l.Seed+uint64(l.Seeds)-1)
	}
	_, err = fmt.Fprintf(w, "%s\n%s, %s\n", text, counted(len(l.Schedule), "perturbation"),
		counted(len(l.Expect), "expectation"))
	return err
}
