package topology

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ScheduleSpec names a schedule: who mixes with whom in which round. The zero value is none: everybody
// mixes with all neighbours in every round. Specs are compared with ==.
type ScheduleSpec struct {
	// Kind is one of ScheduleKinds(), or empty.
	Kind string
	// Size is the largest number of neighbours in a round of base (0: 1), the least number of peers in a
	// cell of cells (0: the square root of all) and the largest number in a group of groups (0: 4).
	Size int
	// Every is the number of rounds after which cells exchange with one another (0: 4).
	Every int
	// Seed of matching and groups.
	Seed uint64
}

// Mate is a peer to mix with in one round, and the weight of its estimate.
type Mate struct {
	Peer   int
	Weight float64
}

// Schedule says who mixes with whom in which round, the same for whoever computes it. It remembers
// what it computed last, so it is not safe for concurrent use.
type Schedule struct {
	plan  plan
	graph *Graph
	mates []Mate // what Mates returned last
}

// plan is the rule of one kind of schedule.
type plan interface {
	// appendMates appends the mates of v in a round, in any order.
	appendMates(to []Mate, v int, round uint64) []Mate
	// links returns the graph of all pairs that ever mix; base is the graph that was asked for.
	links(base *Graph) (*Graph, error)
}

// schedules in the order in which they are told to people.
var schedules = []struct {
	name  string
	build func(s ScheduleSpec, g *Graph, slow []bool) (plan, error)
}{
	{"one-peer-exponential", newExponential},
	{"base", newBase},
	{"matching", newMatching},
	{"cells", newCells},
	{"groups", newGroups},
}

// ScheduleKinds returns the names of the schedules.
func ScheduleKinds() []string {
	names := make([]string, len(schedules))
	for i, s := range schedules {
		names[i] = s.name
	}
	return names
}

// NewSchedule returns the schedule s over the links g. slow marks peers that everybody knows to be slow,
// by vertex; nil: nobody. g should hold the edges of ScheduleGraph: a pair that it does not link stays
// apart in rounds that would have joined it, and both keep the weight of the other for themselves.
func NewSchedule(s ScheduleSpec, g *Graph, slow []bool) (*Schedule, error) {
	if len(slow) != 0 && len(slow) != g.N() {
		return nil, fmt.Errorf("schedule %s: %d peers are marked slow or not, of %d", s.Kind, len(slow), g.N())
	}
	plan, err := s.plan(g, slow)
	if err != nil {
		return nil, err
	}
	return &Schedule{plan: plan, graph: g}, nil
}

// ScheduleGraph returns the graph of all pairs that ever mix: what peers must be linked with. A matching
// lives on the graph that it is given, which is returned; the other kinds take only its size.
func ScheduleGraph(s ScheduleSpec, base *Graph) (*Graph, error) {
	plan, err := s.plan(base, nil)
	if err != nil {
		return nil, err
	}
	return plan.links(base)
}

// Mates returns the peers that v mixes with in a round, in increasing order. What v keeps for itself is
// one less their weights. The weights of a round are a symmetric, doubly stochastic matrix. The slice is
// valid until the next call.
func (s *Schedule) Mates(v int, round uint64) []Mate {
	s.mates = s.plan.appendMates(s.mates[:0], v, round)
	s.mates = slices.DeleteFunc(s.mates, func(m Mate) bool { return !s.graph.Has(v, m.Peer) })
	slices.SortFunc(s.mates, func(a, b Mate) int { return cmp.Compare(a.Peer, b.Peer) })
	return s.mates
}

func (s ScheduleSpec) plan(g *Graph, slow []bool) (plan, error) {
	if s.Size < 0 || s.Every < 0 {
		return nil, fmt.Errorf("schedule %s of size %d every %d rounds: give positive numbers, or 0 for the default",
			s.Kind, s.Size, s.Every)
	}
	if s.Kind == "" {
		return whole{g}, nil
	}
	for _, kind := range schedules {
		if kind.name == s.Kind {
			return kind.build(s, g, slow)
		}
	}
	return nil, fmt.Errorf("schedule %q is not one of %s", s.Kind, strings.Join(ScheduleKinds(), ", "))
}

// whole is no schedule: Metropolis weights of the graph in every round.
type whole struct{ graph *Graph }

func (w whole) appendMates(to []Mate, v int, _ uint64) []Mate {
	for _, u := range w.graph.Neighbours(v) {
		to = append(to, Mate{u, Weight(w.graph.Degree(u), w.graph.Degree(v))})
	}
	return to
}

func (w whole) links(base *Graph) (*Graph, error) { return base, nil }

// unite returns the graph of everybody's mates in the first rounds of a plan.
func unite(n, rounds int, p plan) (*Graph, error) {
	g := New(n)
	var mates []Mate
	for round := range rounds {
		for v := range n {
			mates = p.appendMates(mates[:0], v, uint64(round))
			for _, m := range mates {
				g.join(v, m.Peer)
			}
		}
	}
	return g, nil
}
