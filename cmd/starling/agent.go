package main

import "github.com/spf13/cobra"

// newAgent returns `starling agent`.
func newAgent() *cobra.Command {
	return group("agent", "set up a peer of your own", newAgentInit())
}
