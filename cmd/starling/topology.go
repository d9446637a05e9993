package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/topology"
)

// newTopology returns `starling topology`.
func newTopology() *cobra.Command {
	return group("topology", "make, check and draw topologies",
		newTopologyGen(), newTopologyCheck(), newTopologyShow(), newTopologySuggest())
}

// source is where the topology of a command comes from: a file, or a generator with its flags.
type source struct {
	spec       topology.Spec
	undirected bool
}

// add adds the flags of generators.
func (s *source) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVarP(&s.spec.N, "peers", "n", 0, "number of peers")
	flags.IntVar(&s.spec.Degree, "degree", 0, "degree of random-regular, small-world and circulant (default 4)")
	flags.IntVar(&s.spec.Clusters, "clusters", 0, "number of clusters (default the square root of the peers)")
	flags.Float64Var(&s.spec.Rewire, "rewire", 0, "rewiring probability of small-world (default 0.1)")
	flags.Uint64Var(&s.spec.Seed, "seed", 1, "seed of the random graphs")
}

// addFile adds the flags of files.
func (s *source) addFile(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.undirected, "undirected", false, "take a directed edge for both directions")
}

// graph returns the topology that an argument names: a kind of graph, a file, or "-" for an edge list on
// standard input.
func (s *source) graph(cmd *cobra.Command, name string) (*topology.Graph, error) {
	var g *topology.Graph
	var err error
	switch {
	case slices.Contains(topology.Kinds(), name):
		g, err = s.generate(cmd, name)
	case name == "-":
		g, err = topology.Read("standard input.edges", cmd.InOrStdin(), s.options())
	default:
		g, err = s.read(name)
	}
	if err != nil {
		return nil, exit{exitUsage, err}
	}
	return g, nil
}

func (s *source) options() topology.ReadOptions {
	return topology.ReadOptions{Undirected: s.undirected}
}

func (s *source) generate(cmd *cobra.Command, kind string) (*topology.Graph, error) {
	if s.spec.N == 0 {
		return nil, fmt.Errorf("how many peers? %s %s -n 16", cmd.CommandPath(), kind)
	}
	s.spec.Graph = kind
	return topology.Generate(s.spec)
}

func (s *source) read(name string) (*topology.Graph, error) {
	file, err := os.Open(name)
	if err != nil && filepath.Ext(name) == "" {
		return nil, fmt.Errorf("no such file, and %w", notOneOf(name, topology.Kinds()))
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return topology.Read(name, file, s.options())
}

func completeKinds(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return topology.Kinds(), cobra.ShellCompDirectiveDefault
}

// newTopologyGen returns `starling topology gen`.
func newTopologyGen() *cobra.Command {
	var s source
	var format, output string
	cmd := &cobra.Command{
		Use: "gen KIND", Short: "make a topology file", Args: arguments(1, 1),
		Long:              "Makes a graph, of one of these kinds:\n" + wrap(strings.Join(topology.Kinds(), ", "), 0),
		Example:           "  starling topology gen exponential -n 16 > mesh.edges",
		ValidArgsFunction: completeKinds,
	}
	s.add(cmd)
	cmd.Flags().StringVar(&format, "format", "edges", "one of "+strings.Join(topology.Formats(), ", "))
	completes(cmd, "format", topology.Formats())
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write instead of standard output")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !slices.Contains(topology.Kinds(), args[0]) {
			return notOneOf(args[0], topology.Kinds())
		}
		if !slices.Contains(topology.Formats(), format) {
			return notOneOf(format, topology.Formats())
		}
		g, err := s.graph(cmd, args[0])
		if err != nil {
			return err
		}
		return writeTo(cmd, output, func(w io.Writer) error { return topology.Write(g, format, w) })
	}
	return cmd
}
