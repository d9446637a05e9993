package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/settings"
)

// inputs are the flags with which configurations are read.
type inputs struct {
	files []string
	set   []string
	deny  bool
}

// add adds the flags to a command.
func (in *inputs) add(cmd *cobra.Command) {
	in.addFile(cmd)
	in.addSet(cmd)
}

func (in *inputs) addFile(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&in.files, "file", "f", nil, "configuration file; later files win, - is standard input")
}

func (in *inputs) addSet(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&in.set, "set", nil, "set a value, as in --set train.lr=0.1")
	cmd.Flags().BoolVar(&in.deny, "deny-warnings", false, "take warnings for problems")
}

// completes lets shells complete the words of a flag that was added to a command.
func completes(cmd *cobra.Command, flag string, words []string) {
	complete := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // there is no such flag
	}
}

// reserved are variables that begin with STARLING_ and set nothing.
var reserved = []string{"STARLING_SOCKET", "STARLING_TOKEN"}

// read reads the files.
func (in *inputs) read() ([]settings.File, error) {
	files, err := settings.Open(in.files...)
	if err != nil {
		return nil, exit{exitUsage, err}
	}
	return files, nil
}

// sources are the layers over some files. Agents take settings from the environment; manifests do not,
// so that a variable meant for one is not an unknown key in the other.
func (in *inputs) sources(kind string, files []settings.File) settings.Sources {
	environ := os.Environ()
	if kind == kindTestnet {
		environ = slices.DeleteFunc(environ, func(pair string) bool { return strings.HasPrefix(pair, "STARLING_") })
	}
	return settings.Sources{
		Files: files, Environ: environ, Reserved: reserved, Set: in.set, DenyWarnings: in.deny,
	}
}

// Kinds of configuration files.
const (
	kindAgent   = "agent"
	kindTestnet = "testnet"
)

// kindOf tells what some files are by what only one kind has.
func kindOf(files []settings.File) string {
	keys := settings.Keys(files)
	for _, key := range []string{"peers", "sweep", "schedule", "expect", "runtime", "seeds"} {
		if slices.Contains(keys, key) {
			return kindTestnet
		}
	}
	return kindAgent
}
