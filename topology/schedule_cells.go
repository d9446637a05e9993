package topology

import "fmt"

// cells is a hierarchy: peers of one cell average every round, and in every Every-th round the last peer
// of each cell also exchanges with the first of the next, round. Its links are the graph "clusters".
type cells struct {
	n, count, every int
}

func newCells(s ScheduleSpec, g *Graph, _ []bool) (plan, error) {
	c := cells{n: g.N(), every: s.Every}
	if c.every == 0 {
		c.every = 4
	}
	switch {
	case s.Size == 1 && c.n > 1:
		return nil, fmt.Errorf("schedule %s of size 1: a cell has two peers at least", s.Kind)
	case s.Size == 0:
		c.count = Spec{N: c.n}.clusters()
		c.count = max(1, min(c.count, c.n/2))
	default:
		c.count = max(1, c.n/s.Size)
	}
	return c, nil
}

func (c cells) first(cell int) int { return cell * c.n / c.count }

// appendMates gives a crossing round the mean of two matrices: that of averaging inside the cells, and
// the one that swaps the estimates of the two ends of every line between cells.
func (c cells) appendMates(to []Mate, v int, round uint64) []Mate {
	cell := v * c.count / c.n
	if v >= c.first(cell+1) {
		cell++
	}
	from, end := c.first(cell), c.first(cell+1)
	weight := 1 / float64(end-from)
	if c.count > 1 && round%uint64(c.every) == uint64(c.every-1) {
		weight /= 2
		switch v {
		case from:
			to = append(to, Mate{(v + c.n - 1) % c.n, 0.5})
		case end - 1:
			to = append(to, Mate{(v + 1) % c.n, 0.5})
		}
	}
	for u := from; u < end; u++ {
		if u != v {
			to = append(to, Mate{u, weight})
		}
	}
	return to
}

func (c cells) links(*Graph) (*Graph, error) {
	return Generate(Spec{Graph: "clusters", N: c.n, Clusters: c.count})
}
