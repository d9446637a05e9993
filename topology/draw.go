package topology

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/graph/layout"
	"gonum.org/v1/gonum/spatial/r2"
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

// Size of a drawing, in the units of SVG.
const (
	canvas = 640.0
	margin = 30.0
	radius = 12.0
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
	for i, p := range at {
		fmt.Fprintf(out, `<circle cx="%.1f" cy="%.1f" r="%g"/><text x="%.1f" y="%.1f" fill="#fff">%d</text>`+"\n",
			p.X, p.Y, radius, p.X, p.Y+4, i)
	}
	out.WriteString("</g>\n</svg>\n")
	return out.Flush()
}

// place returns where on the canvas each peer is drawn.
func place(g *Graph) []r2.Vec {
	for v := range g.N() {
		if next := (v + 1) % g.N(); next != v && !g.Has(v, next) {
			return fit(forces(g))
		}
	}
	return fit(circle(g.N()))
}

// circle begins at the top and goes clockwise.
func circle(n int) []r2.Vec {
	at := make([]r2.Vec, n)
	for i := range at {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		at[i] = r2.Vec{X: sin, Y: -cos}
	}
	return at
}

// forces lays g out by the spring model of Eades (1984), from the same start every time.
func forces(g *Graph) []r2.Vec {
	model := layout.EadesR2{Updates: 100, Repulsion: 1, Rate: 0.05, Theta: 0.2, Src: rand.NewPCG(1, 1)}
	o := layout.NewOptimizerR2(view{g}, model.Update)
	for o.Update() {
	}
	at := make([]r2.Vec, g.N())
	for i := range at {
		at[i] = o.Coord2(int64(i))
	}
	return at
}

// fit moves and scales points to fill the canvas.
func fit(at []r2.Vec) []r2.Vec {
	low, high := r2.Vec{X: math.Inf(1), Y: math.Inf(1)}, r2.Vec{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, p := range at {
		low = r2.Vec{X: min(low.X, p.X), Y: min(low.Y, p.Y)}
		high = r2.Vec{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
	}
	span := max(high.X-low.X, high.Y-low.Y)
	if span == 0 {
		span = 1 // one peer
	}
	middle := r2.Scale(0.5, r2.Add(low, high))
	for i, p := range at {
		centred := r2.Scale((canvas-2*margin)/span, r2.Sub(p, middle))
		at[i] = r2.Add(centred, r2.Vec{X: canvas / 2, Y: canvas / 2})
	}
	return at
}
