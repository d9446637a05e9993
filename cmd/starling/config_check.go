package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/settings"
)

// newConfigCheck returns `starling config check`.
func newConfigCheck() *cobra.Command {
	var in configInputs
	cmd := &cobra.Command{
		Use: "check FILE...", Short: "report every mistake in configuration files",
		Long: "Reads an agent's configuration or a testnet's manifest (later files win) and\n" +
			"reports every mistake with its line. Exits with 2 if there is one.",
		Example: "  starling config check agent.yaml\n  starling config check base.yaml lab.yaml --set train.lr=0.1",
		Args:    cobra.ArbitraryArgs,
	}
	in.add(cmd)
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		document, err := in.load(cmd, args)
		if document == nil {
			return err
		}
		if *asJSON {
			return printChecked(cmd, in.kind, document, err)
		}
		printWarnings(cmd, document)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: ok (%s, %s)\n", strings.Join(in.files, ", "), in.kind,
			counted(len(document.Warnings()), "warning"))
		return err
	}
	return cmd
}

// printChecked prints problems and warnings as JSON. The exit code still tells whether all is well.
func printChecked(cmd *cobra.Command, kind string, d *settings.Document, err error) error {
	problems := settings.Problems{}
	if err != nil && !errors.As(err, &problems) {
		return err
	}
	warnings := d.Warnings()
	if warnings == nil {
		warnings = settings.Problems{}
	}
	printed := printJSON(cmd.OutOrStdout(), struct {
		V        int               `json:"v"`
		Kind     string            `json:"kind"`
		OK       bool              `json:"ok"`
		Problems settings.Problems `json:"problems"`
		Warnings settings.Problems `json:"warnings"`
	}{1, kind, err == nil, problems, warnings})
	if printed == nil && err != nil {
		return exit{code: exitUsage} // the problems are in the output
	}
	return printed
}

// counted is a number of things in words.
func counted(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	default:
		return fmt.Sprintf("%d %ss", n, what)
	}
}
