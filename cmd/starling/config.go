package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/testnet"
)

// newConfig returns `starling config`.
func newConfig() *cobra.Command {
	return group("config", "check and show agent configurations and testnet manifests",
		newConfigCheck(), newConfigShow(), newConfigSchema())
}

// configInputs are the flags of commands that read either kind of file.
type configInputs struct {
	inputs
	kind string
}

func (in *configInputs) add(cmd *cobra.Command) {
	in.inputs.add(cmd)
	cmd.Flags().StringVar(&in.kind, "kind", "", "agent or testnet (default: what the file looks like)")
	completes(cmd, "kind", kinds)
}

var kinds = []string{kindAgent, kindTestnet}

// load reads the files that the arguments and -f name. The document is nil only if they cannot be read.
func (in *configInputs) load(cmd *cobra.Command, args []string) (*settings.Document, error) {
	in.files = append(in.files, args...)
	if len(in.files) == 0 {
		return nil, usage("which file? %s agent.yaml", cmd.CommandPath())
	}
	if in.kind != "" && !slices.Contains(kinds, in.kind) {
		return nil, notOneOf(in.kind, kinds)
	}
	files, err := in.read()
	if err != nil {
		return nil, err
	}
	if in.kind == "" {
		in.kind = kindOf(files)
	}
	sources := in.sources(in.kind, files)
	if in.kind == kindTestnet {
		loaded, err := testnet.Load(sources)
		return loaded.Document, err
	}
	_, document, err := node.Load(sources)
	return document, err
}

// printWarnings prints the warnings of a document, which stop nothing.
func printWarnings(cmd *cobra.Command, d *settings.Document) {
	fmt.Fprint(cmd.ErrOrStderr(), d.Warnings().String())
}
