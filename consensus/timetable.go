package consensus

import (
	"cmp"
	"slices"

	"github.com/starling-ml/starling/topology"
)

// timetable is the schedule of a run as one peer holds it: with which neighbours it mixes in its round,
// and what their estimates weigh. Members of one list agree on it without a message. Only recipes whose
// rounds are in step have one: peers that run freely disagree on which round it is.
//
// A peer waits for the mates of its round alone and publishes to them alone. After a round that it left
// out it publishes to everybody, because somebody may still wait for it there.
type timetable struct {
	plan    *topology.Schedule
	version int       // of the view that plan and weights are made for; 0: none yet
	round   uint64    // that weights are of
	weights []float64 // by neighbour; 0: no mate
}

// of returns the weights of the neighbours in this peer's round.
func (t *timetable) of(m *Machine) []float64 {
	if t.version == m.view.version && t.round == m.round {
		return t.weights
	}
	if t.version != m.view.version {
		t.plan = planFor(m.options.Schedule, &m.view)
	}
	t.version, t.round = m.view.version, m.round
	t.weights = t.weights[:0]
	me, member := m.view.vertex[m.config.Self]
	if !member {
		return t.weights
	}
	mates := t.plan.Mates(me, m.round)
	for _, n := range m.view.neighbours {
		at, found := slices.BinarySearchFunc(mates, m.view.vertex[n.name], func(m topology.Mate, v int) int {
			return cmp.Compare(m.Peer, v)
		})
		weight := 0.0
		if found {
			weight = mates[at].Weight
		}
		t.weights = append(t.weights, weight)
	}
	return t.weights
}

// planFor returns the schedule over a view. Where the list has changed and the graph does not link all
// pairs of the schedule, or their number does not suit it, everybody mixes with all neighbours: a
// schedule with holes may fall into parts that never meet.
func planFor(s topology.ScheduleSpec, v *view) *topology.Schedule {
	if linksAll(s, v.graph) {
		if plan, err := topology.NewSchedule(s, v.graph, v.slow); err == nil {
			return plan
		}
	}
	plan, err := topology.NewSchedule(topology.ScheduleSpec{}, v.graph, nil)
	if err != nil {
		panic(err) // no schedule suits every graph
	}
	return plan
}

func linksAll(s topology.ScheduleSpec, g *topology.Graph) bool {
	pairs, err := topology.ScheduleGraph(s, g)
	if err != nil {
		return false
	}
	return pairs == g || !slices.ContainsFunc(pairs.Edges(), func(e topology.Edge) bool { return !g.Has(e.U, e.V) })
}

// meets tells whether this peer mixes with its i-th neighbour in its round. Without a schedule it always
// does.
func (m *Machine) meets(i int) bool { return m.timetable == nil || m.timetable.of(m)[i] > 0 }

// speaksToAll tells whether the publish of this round goes to all neighbours.
func (m *Machine) speaksToAll() bool {
	next := uint64(0)
	if m.last.Seq > 0 {
		next = m.last.Round + 1
	}
	return m.timetable == nil || m.round != next
}

// needed tells whether an estimate that will not arrive is to be sent again: nothing newer is on its way.
func (m *Machine) needed(n *neighbour, seq uint64) bool {
	return seq == m.last.Seq || (m.timetable != nil && seq == n.queued)
}

// schedulePiece is what a schedule asks of a recipe.
func schedulePiece(o Options) socketPiece {
	return socketPiece{
		name: "schedule " + o.Schedule.Kind, needs: lockStep, clashes: pairs,
		why:     "peers that run freely disagree on which round it is, and one waits for the other in vain",
		instead: "use recipe dpsgd, or no schedule",
	}
}

// misfits returns why a schedule does not suit the graph, if that is known.
func (o Options) misfits(g *topology.Graph) error {
	if g == nil {
		g = topology.New(1)
	}
	_, err := topology.NewSchedule(o.Schedule, g, nil)
	return err
}
