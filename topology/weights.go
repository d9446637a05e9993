package topology

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Weight returns the Metropolis-Hastings weight of an edge between peers that mix with du and dv
// neighbours (Xiao, Boyd and Lall 2005). Both ends compute the same number from what they know of each
// other, and a peer's weights sum to less than one, so that something is always left for itself.
func Weight(du, dv int) float64 { return 1 / float64(1+max(du, dv)) }

// Weights is a symmetric, doubly stochastic mixing matrix whose zero pattern is that of a graph. It
// keeps the mean of the estimates whatever subset of the edges is active.
type Weights struct {
	graph *Graph
	self  []float64
	edge  [][]float64 // edge[i][k] belongs to the k-th neighbour of i; 0 where the edge is not active
}

// Metropolis returns the Metropolis weights of all edges of g.
func Metropolis(g *Graph) *Weights {
	return MetropolisActive(g, func(int, int) bool { return true })
}

// MetropolisActive returns the Metropolis weights of the edges u-v, u < v, for which active is true:
// degrees count active edges alone, and an inactive edge weighs nothing.
func MetropolisActive(g *Graph, active func(u, v int) bool) *Weights {
	w := &Weights{graph: g, self: make([]float64, g.N()), edge: make([][]float64, g.N())}
	degree := make([]int, g.N())
	for u := range g.N() {
		w.edge[u] = make([]float64, g.Degree(u))
	}
	w.visit(func(u, v int, uv, vu *float64) {
		if active(u, v) {
			*uv, *vu = 1, 1 // marks the edge until the degrees are known
			degree[u]++
			degree[v]++
		}
	})
	w.visit(func(u, v int, uv, vu *float64) {
		if *uv != 0 {
			*uv = Weight(degree[u], degree[v])
			*vu = *uv
		}
	})
	for i, row := range w.edge {
		w.self[i] = 1
		for _, wij := range row {
			w.self[i] -= wij
		}
	}
	return w
}

// visit calls f with both entries of each edge u-v, u < v, in increasing order.
func (w *Weights) visit(f func(u, v int, uv, vu *float64)) {
	next := make([]int, w.graph.N()) // next[v]: how many neighbours of v below u were passed
	for u := range w.graph.N() {
		for k, v := range w.graph.Neighbours(u) {
			if u < v {
				f(u, v, &w.edge[u][k], &w.edge[v][next[v]])
				next[v]++
			}
		}
	}
}

// N returns the number of peers.
func (w *Weights) N() int { return len(w.self) }

// Self returns the weight that i gives to its own estimate.
func (w *Weights) Self(i int) float64 { return w.self[i] }

// At returns the weight that i gives to the estimate of j.
func (w *Weights) At(i, j int) float64 {
	if i == j {
		return w.self[i]
	}
	if k, found := slices.BinarySearch(w.graph.Neighbours(i), j); found {
		return w.edge[i][k]
	}
	return 0
}

// Matrix returns the weights as a dense matrix.
func (w *Weights) Matrix() *mat.SymDense {
	m := mat.NewSymDense(w.N(), nil)
	for i := range w.N() {
		m.SetSym(i, i, w.self[i])
		for k, j := range w.graph.Neighbours(i) {
			m.SetSym(i, j, w.edge[i][k])
		}
	}
	return m
}

// mul sets dst to W x.
func (w *Weights) mul(dst, x []float64) {
	for i := range dst {
		sum := float64(w.self[i] * x[i])
		for k, j := range w.graph.Neighbours(i) {
			sum += float64(w.edge[i][k] * x[j])
		}
		dst[i] = sum
	}
}
