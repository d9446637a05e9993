package main

import "github.com/spf13/cobra"

// newConfig returns `starling config`.
func newConfig() *cobra.Command {
	return group("config", "check and show configuration files")
}
