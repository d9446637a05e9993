package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/topology"
)

// newTopologyShow returns `starling topology show`.
func newTopologyShow() *cobra.Command {
	var s source
	var format, output string
	cmd := &cobra.Command{
		Use: "show FILE|KIND", Short: "draw a topology as text, SVG or DOT", Args: arguments(1, 1),
		Example: "  starling topology show ring -n 8\n" +
			"  starling topology show mesh.edges --format svg -o mesh.svg",
		ValidArgsFunction: completeKinds,
	}
	s.add(cmd)
	s.addFile(cmd)
	cmd.Flags().StringVar(&format, "format", "text", "text, svg or dot")
	completes(cmd, "format", []string{"text", "svg", "dot"})
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write instead of standard output")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		draw, ok := drawings[format]
		if !ok {
			return notOneOf(format, []string{"text", "svg", "dot"})
		}
		g, err := s.graph(cmd, args[0])
		if err != nil {
			return err
		}
		return writeTo(cmd, output, func(w io.Writer) error { return draw(g, w) })
	}
	return cmd
}

var drawings = map[string]func(*topology.Graph, io.Writer) error{
	"text": topology.DrawText,
	"svg":  topology.DrawSVG,
	"dot":  func(g *topology.Graph, w io.Writer) error { return topology.Write(g, "dot", w) },
}
