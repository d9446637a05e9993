package topology

import "slices"

// Connected tells whether every vertex reaches every other.
func (g *Graph) Connected() bool { return len(g.Components()) <= 1 }

// Components returns the connected components, each sorted, in the order of their smallest vertices.
func (g *Graph) Components() [][]int {
	var components [][]int
	hops := unreached(g.N())
	for start := range hops {
		if hops[start] < 0 {
			members := g.walk(start, hops)
			slices.Sort(members)
			components = append(components, members)
		}
	}
	return components
}

// walk goes breadth first from start over vertices whose hops are -1, sets the hops, and returns the
// vertices in the order in which they were reached.
func (g *Graph) walk(start int, hops []int) []int {
	hops[start] = 0
	reached := []int{start}
	for i := 0; i < len(reached); i++ {
		u := reached[i]
		for _, v := range g.Neighbours(u) {
			if hops[v] < 0 {
				hops[v] = hops[u] + 1
				reached = append(reached, v)
			}
		}
	}
	return reached
}

func unreached(n int) []int {
	hops := make([]int, n)
	for v := range hops {
		hops[v] = -1
	}
	return hops
}
