package topology

import (
	"cmp"
	"slices"
)

// Bridges returns the edges whose loss splits a component, sorted by (U, V). It is Tarjan's depth-first
// search (1974) with a stack of its own: a path of a million peers must not exhaust the call stack.
func (g *Graph) Bridges() []Edge {
	b := bridgeSearch{g: g, order: unreached(g.N()), low: make([]int, g.N()), next: make([]int, g.N())}
	for root := range g.N() {
		if b.order[root] < 0 {
			b.from(root)
		}
	}
	slices.SortFunc(b.found, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.U, b.U), cmp.Compare(a.V, b.V)) })
	return b.found
}

// bridgeSearch numbers vertices in the order of a depth-first search. low[v] is the smallest number that
// v's subtree reaches without the edge to v's parent: the edge is a bridge if that is v's own.
type bridgeSearch struct {
	g     *Graph
	order []int
	low   []int
	next  []int // next[v] is the index of the neighbour of v to look at next
	clock int
	found []Edge
}

func (b *bridgeSearch) from(root int) {
	b.enter(root)
	stack := []int{root}
	for len(stack) > 0 {
		v, parent := stack[len(stack)-1], -1
		if len(stack) > 1 {
			parent = stack[len(stack)-2]
		}
		if child := b.advance(v, parent); child >= 0 {
			b.enter(child)
			stack = append(stack, child)
			continue
		}
		stack = stack[:len(stack)-1]
		if parent >= 0 {
			b.leave(v, parent)
		}
	}
}

func (b *bridgeSearch) enter(v int) {
	b.order[v], b.low[v] = b.clock, b.clock
	b.clock++
}

// advance returns the next new neighbour of v, or -1 when all were seen.
func (b *bridgeSearch) advance(v, parent int) int {
	for neighbours := b.g.Neighbours(v); b.next[v] < len(neighbours); {
		u := neighbours[b.next[v]]
		b.next[v]++
		if b.order[u] < 0 {
			return u
		}
		if u != parent { // the graph is simple: one edge leads to the parent
			b.low[v] = min(b.low[v], b.order[u])
		}
	}
	return -1
}

func (b *bridgeSearch) leave(v, parent int) {
	if b.low[v] == b.order[v] {
		u, w := min(v, parent), max(v, parent)
		b.found = append(b.found, Edge{U: u, V: w, Weight: b.g.edgeWeight(u, w)})
	}
	b.low[parent] = min(b.low[parent], b.low[v])
}
