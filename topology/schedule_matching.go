package topology

import (
	"strconv"

	"github.com/starling-ml/starling/internal/seed"
)

// matching pairs neighbours: in every round a random maximal matching of the graph, so that each peer
// averages with one neighbour at most.
type matching struct {
	edges []Edge
	order []int // scratch
	draws draws
}

func newMatching(s ScheduleSpec, g *Graph, _ []bool) (plan, error) {
	edges := g.Edges()
	return &matching{edges: edges, order: make([]int, len(edges)), draws: newDraws(s.Seed, s.Kind, g.N())}, nil
}

func (m *matching) appendMates(to []Mate, v int, round uint64) []Mate {
	partner := m.draws.of(round, m.draw)
	if partner[v] < 0 {
		return to
	}
	return append(to, Mate{partner[v], 0.5})
}

// draw takes the edges in a random order, each that it can.
func (m *matching) draw(partner []int, seed uint64) {
	for v := range partner {
		partner[v] = -1
	}
	permute(m.order, seed)
	for _, i := range m.order {
		if e := m.edges[i]; partner[e.U] < 0 && partner[e.V] < 0 {
			partner[e.U], partner[e.V] = e.V, e.U
		}
	}
}

func (m *matching) links(base *Graph) (*Graph, error) { return base, nil }

// draws remembers what was drawn for the last rounds: one number for each peer. Peers that share a
// schedule are a few rounds apart.
type draws struct {
	root uint64
	kind string
	kept [8]drawn
}

type drawn struct {
	known bool
	round uint64
	value []int
}

func newDraws(root uint64, kind string, n int) draws {
	d := draws{root: root, kind: kind}
	for i := range d.kept {
		d.kept[i].value = make([]int, n)
	}
	return d
}

// of returns the draw of a round; fill makes it from the round's own seed.
func (d *draws) of(round uint64, fill func(value []int, seed uint64)) []int {
	kept := &d.kept[round%uint64(len(d.kept))]
	if !kept.known || kept.round != round {
		fill(kept.value, seed.Derive(d.root, "topology", d.kind, strconv.FormatUint(round, 10)))
		kept.known, kept.round = true, round
	}
	return kept.value
}

// permute sets order to a random permutation.
func permute(order []int, root uint64) {
	for i := range order {
		order[i] = i
	}
	seed.Stream(root).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
}
