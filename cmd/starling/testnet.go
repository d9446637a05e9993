package main

import (
	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/testnet"
)

// newTestnet returns `starling testnet`.
func newTestnet() *cobra.Command {
	return group("testnet", "run whole networks from a manifest", newTestnetInit(), newTestnetCheck(), newTestnetRun())
}

// manifest are the flags with which a manifest is read.
type manifest struct {
	inputs
	only   []string
	seed   uint64
	output string
}

func (m *manifest) add(cmd *cobra.Command) {
	m.addChoice(cmd)
	flags := cmd.Flags()
	flags.Uint64Var(&m.seed, "seed", 0, "run with this seed alone")
	flags.StringVarP(&m.output, "output", "o", "", "folder for the results (default output.dir of the manifest)")
}

// addChoice adds the flags that say which runs are meant, for commands that run nothing.
func (m *manifest) addChoice(cmd *cobra.Command) {
	m.addSet(cmd)
	cmd.Flags().StringSliceVar(&m.only, "only", nil, "run only some of the sweep, as in --only pulse,step=10x")
}

// load reads the manifest of that name with the flags over it.
func (m *manifest) load(cmd *cobra.Command, name string) (*testnet.Loaded, error) {
	m.files = []string{name}
	files, err := m.read()
	if err != nil {
		return nil, err
	}
	sources := m.sources(kindTestnet, files)
	if m.output != "" {
		sources.Overrides = append(sources.Overrides, settings.Override{
			Origin: "--output", Path: "output.dir", Value: m.output,
		})
	}
	loaded, err := testnet.Load(sources)
	if err != nil {
		return loaded, err
	}
	if err := loaded.Only(m.only...); err != nil {
		return nil, usage("--only %v", err)
	}
	if cmd.Flags().Changed("seed") {
		loaded.OnlySeed(m.seed)
	}
	return loaded, nil
}
