package estimate

import (
	"math"

	"github.com/starling-ml/starling/topology"
)

// memory is the share of what two starts had in common a round ago that they still have in common where
// different peers held them up now. It was fitted to the simulator on rings, tori and random graphs.
const memory = 0.5

// independence is by how much the starts of the neighbours of a peer spread around their mean, relative to the
// starts of peers far apart: sqrt(1 - c), where c is the mean correlation of two of them. The starts of i and
// j are held up by the last peer of their closed neighbourhoods. With the share of peers in both,
// s_ij = |N[i] and N[j]| / |N[i] or N[j]|, that is the same peer, and the starts are equal; otherwise it is two
// peers, as alike as their own starts were a round ago:
//
//	c_ij = s_ij + (1 - s_ij) memory mean of c_kl over k in N[i], l in N[j]
func independence(g *topology.Graph) float64 {
	n := g.N()
	if n < 2 {
		return 0
	}
	shared := overlaps(g)
	like := make([][]float64, n)
	for i := range like {
		like[i] = append([]float64(nil), shared[i]...)
	}
	for range 60 {
		before := averaged(g, like)
		change := 0.0
		for i := range n {
			for j := range n {
				v := shared[i][j] + (1-shared[i][j])*memory*before[i][j]
				change = max(change, math.Abs(v-like[i][j]))
				like[i][j] = v
			}
		}
		if change < 1e-4 {
			break
		}
	}
	sum, pairs := 0.0, 0.0
	for i := range n {
		c := closed(g, i)
		for _, a := range c {
			for _, b := range c {
				if a != b {
					sum += like[a][b]
					pairs++
				}
			}
		}
	}
	return math.Sqrt(max(0, 1-sum/max(1, pairs)))
}

// closed is a peer and its neighbours.
func closed(g *topology.Graph, i int) []int { return append([]int{i}, g.Neighbours(i)...) }

// overlaps is s of independence.
func overlaps(g *topology.Graph) [][]float64 {
	n := g.N()
	out := make([][]float64, n)
	for i := range out {
		common := make([]int, n)
		for _, k := range closed(g, i) {
			for _, j := range closed(g, k) {
				common[j]++
			}
		}
		out[i] = make([]float64, n)
		for j, c := range common {
			out[i][j] = float64(c) / float64(g.Degree(i)+g.Degree(j)+2-c)
		}
	}
	return out
}

// averaged is the mean of a matrix over the closed neighbourhoods of its row and its column.
func averaged(g *topology.Graph, m [][]float64) [][]float64 {
	n := g.N()
	half := make([][]float64, n)
	for i := range half {
		half[i] = make([]float64, n)
		c := closed(g, i)
		for _, k := range c {
			for j, v := range m[k] {
				half[i][j] += v / float64(len(c))
			}
		}
	}
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
		for j := range n {
			c := closed(g, j)
			for _, k := range c {
				out[i][j] += half[i][k]
			}
			out[i][j] /= float64(len(c))
		}
	}
	return out
}

// diameter is the number of links on the longest shortest path; peers in other parts count as reached.
func diameter(g *topology.Graph) int {
	longest := 0
	for start := range g.N() {
		hops := make([]int, g.N())
		queue := []int{start}
		hops[start] = 1
		for at := 0; at < len(queue); at++ {
			for _, j := range g.Neighbours(queue[at]) {
				if hops[j] == 0 {
					hops[j] = hops[queue[at]] + 1
					queue = append(queue, j)
				}
			}
		}
		longest = max(longest, hops[queue[len(queue)-1]]-1)
	}
	return longest
}
