package topology

import "github.com/starling-ml/starling/internal/seed"

// groups deals all peers anew in every round into groups that average inside. Sizes differ by one at
// most, and so do the numbers of slow peers: every group can close without its slow ones and still has
// enough others.
type groups struct {
	n, count   int
	slow, fast []int
	draws      draws // the order of dealing, and then everybody's place in it
}

func newGroups(s ScheduleSpec, g *Graph, slow []bool) (plan, error) {
	size := s.Size
	if size == 0 {
		size = defaultDegree
	}
	n := g.N()
	p := &groups{n: n, count: max(1, (n+size-1)/size), draws: newDraws(s.Seed, s.Kind, 2*n)}
	for v := range n {
		if len(slow) > 0 && slow[v] {
			p.slow = append(p.slow, v)
		} else {
			p.fast = append(p.fast, v)
		}
	}
	return p, nil
}

// appendMates appends the group of v: places that are equal modulo the number of groups.
func (p *groups) appendMates(to []Mate, v int, round uint64) []Mate {
	dealt := p.draws.of(round, p.draw)
	order, place := dealt[:p.n], dealt[p.n:]
	first := len(to)
	for at := place[v] % p.count; at < p.n; at += p.count {
		if order[at] != v {
			to = append(to, Mate{Peer: order[at]})
		}
	}
	for i := first; i < len(to); i++ {
		to[i].Weight = 1 / float64(len(to)-first+1)
	}
	return to
}

// draw deals the slow peers first, each kind in a random order.
func (p *groups) draw(dealt []int, root uint64) {
	order, place := dealt[:p.n], dealt[p.n:]
	copy(order[copy(order, p.slow):], p.fast)
	rng := seed.Stream(root)
	for _, part := range [][]int{order[:len(p.slow)], order[len(p.slow):]} {
		rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	for at, v := range order {
		place[v] = at
	}
}

// links returns the full graph: any two may meet.
func (p *groups) links(*Graph) (*Graph, error) { return Generate(Spec{Graph: "full", N: p.n}) }
