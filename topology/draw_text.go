package topology

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// matrixLimit is the number of peers whose adjacency matrix fits a terminal.
const matrixLimit = 36

// DrawText writes a line for each peer with its neighbours, and the matrix of the edges beside it while
// it fits a terminal.
func DrawText(g *Graph, w io.Writer) error {
	out := bufio.NewWriter(w)
	width := len(fmt.Sprint(g.N() - 1))
	for u := range g.N() {
		fmt.Fprintf(out, "%*d  ", width, u)
		if g.N() <= matrixLimit {
			for v := range g.N() {
				out.WriteString(cell(g, u, v))
			}
			out.WriteString("  ")
		}
		fmt.Fprintf(out, "%s\n", strings.Trim(fmt.Sprint(g.Neighbours(u)), "[]"))
	}
	return out.Flush()
}

func cell(g *Graph, u, v int) string {
	switch {
	case u == v:
		return `\ `
	case g.Has(u, v):
		return "# "
	default:
		return ". "
	}
}
