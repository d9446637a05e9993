package topology

import (
	"bufio"
	"fmt"
	"io"
)

// Sizes of a drawing, in the units of SVG.
const (
	canvas   = 640.0
	margin   = 30.0
	largest  = 12.0 // radius of a peer
	readable = 8.0  // radius that holds its number
)

// drawLimit is the number of edges beyond which a drawing is a black spot, and a heavy one.
const drawLimit = 20_000

// DrawSVG writes a drawing of g. A graph that holds the ring 0, 1, ... N-1 is drawn on a circle, any
// other one by a force model that puts neighbours close to one another.
func DrawSVG(g *Graph, w io.Writer) error {
	edges := g.Edges()
	if len(edges) > drawLimit || g.N() > drawLimit {
		return fmt.Errorf("draw %d peers and %d edges: at most %d of each can be drawn", g.N(), len(edges), drawLimit)
	}
	at := place(g)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img">`+"\n", canvas, canvas)
	fmt.Fprintf(out, "<title>%d peers, %d edges</title>\n", g.N(), len(edges))
	out.WriteString(`<g stroke="#56606b" stroke-width="1.5">` + "\n")
	for _, e := range edges {
		u, v := at[e.U], at[e.V]
		fmt.Fprintf(out, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", u.X, u.Y, v.X, v.Y)
	}
	out.WriteString("</g>\n" + `<g fill="#0072b2" font-family="sans-serif" font-size="11" text-anchor="middle">` + "\n")
	radius := min(largest, canvas/float64(g.N()))
	for i, p := range at {
		fmt.Fprintf(out, `<circle cx="%.1f" cy="%.1f" r="%.1f"><title>peer %d</title></circle>`+"\n", p.X, p.Y, radius, i)
		if radius >= readable {
			fmt.Fprintf(out, `<text x="%.1f" y="%.1f" fill="#fff">%d</text>`+"\n", p.X, p.Y+4, i)
		}
	}
	out.WriteString("</g>\n</svg>\n")
	return out.Flush()
}
