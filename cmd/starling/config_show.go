package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/settings"
)

// newConfigShow returns `starling config show`.
func newConfigShow() *cobra.Command {
	var in configInputs
	var origin bool
	cmd := &cobra.Command{
		Use: "show FILE...", Short: "print the values that are in force",
		Long: "Prints every value after all layers: defaults, files in order, STARLING_A__B\n" +
			"variables (agents), --set. With --origin, also where each value is from.",
		Example: "  starling config show agent.yaml --origin",
		Args:    cobra.ArbitraryArgs,
	}
	in.add(cmd)
	cmd.Flags().BoolVar(&origin, "origin", false, "tell where each value is from")
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		document, err := in.load(cmd, args)
		if err != nil {
			return err
		}
		values := document.Values()
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), struct {
				V      int              `json:"v"`
				Kind   string           `json:"kind"`
				Values []settings.Value `json:"values"`
			}{1, in.kind, values})
		}
		table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 3, ' ', 0)
		for _, v := range values {
			if origin {
				fmt.Fprintf(table, "%s\t%s\t%s\n", v.Path, v.Value, v.Origin)
			} else {
				fmt.Fprintf(table, "%s\t%s\n", v.Path, v.Value)
			}
		}
		return table.Flush()
	}
	return cmd
}
