package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/build"
	"github.com/starling-ml/starling/wire"
)

// newVersion returns `starling version`.
func newVersion() *cobra.Command {
	cmd := &cobra.Command{Use: "version", Short: "print the version", Args: arguments(0, 0)}
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		info := build.Read()
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), struct {
				V int `json:"v"`
				build.Info
				Protocol int `json:"protocol"`
			}{1, info, int(wire.Version)})
		}
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s   protocol %d\n", info, wire.Version)
		return err
	}
	return cmd
}
