package main

import (
	"embed"

	"github.com/spf13/cobra"
)

// schemas are made from the structs and their comments by the test TestSchemas; -update rewrites them.
//
//go:embed schema/*.json
var schemas embed.FS

// newConfigSchema returns `starling config schema`.
func newConfigSchema() *cobra.Command {
	return &cobra.Command{
		Use: "schema agent|testnet", Short: "print the JSON Schema of a kind of file", Args: arguments(1, 1),
		Long: "Prints the JSON Schema of an agent's configuration or a testnet's manifest.\n" +
			"Editors that know YAML use it when a file begins with\n" +
			"  # yaml-language-server: $schema=agent.schema.json",
		Example:   "  starling config schema agent > agent.schema.json",
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := schemas.ReadFile("schema/" + args[0] + "-v1.json")
			if err != nil {
				return notOneOf(args[0], kinds)
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}
