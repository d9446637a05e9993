package topology

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/graph/layout"
	"gonum.org/v1/gonum/spatial/r2"
)

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
