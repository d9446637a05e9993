package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/topology"
)

// newTopologyCheck returns `starling topology check`.
func newTopologyCheck() *cobra.Command {
	var s source
	cmd := &cobra.Command{
		Use: "check FILE|KIND", Short: "tell how well a topology mixes, and what is wrong with it",
		Long: "Reads a topology (.edges, .dot, node-link .json; - is an edge list on standard\n" +
			"input), or makes one of a kind, and tells its size, its diameter and how fast it\n" +
			"mixes. A graph in parts fails the check.",
		Example:           "  starling topology check mesh.edges\n  starling topology check ring -n 16 --json",
		Args:              arguments(1, 1),
		ValidArgsFunction: completeKinds,
	}
	s.add(cmd)
	s.addFile(cmd)
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		g, err := s.graph(cmd, args[0])
		if err != nil {
			return err
		}
		report := topology.Inspect(g)
		if *asJSON {
			err = printJSON(cmd.OutOrStdout(), struct {
				V int `json:"v"`
				topology.Report
			}{1, report})
		} else {
			_, err = fmt.Fprintln(cmd.OutOrStdout(), report)
		}
		if err == nil && !report.Connected {
			return errors.New("the graph is in parts")
		}
		return err
	}
	return cmd
}
