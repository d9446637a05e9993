package topology_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/topology"
)

// matrix is the mixing matrix of one round.
type matrix [][]float64

func matrixOf(s *topology.Schedule, n int, round uint64) matrix {
	m := make(matrix, n)
	for v := range n {
		m[v] = make([]float64, n)
		m[v][v] = 1
		for _, mate := range s.Mates(v, round) {
			m[v][mate.Peer] += mate.Weight
			m[v][v] -= mate.Weight
		}
	}
	return m
}

// times returns the product of two matrices.
func (m matrix) times(o matrix) matrix {
	product := make(matrix, len(m))
	for i := range m {
		product[i] = make([]float64, len(m))
		for k, a := range m[i] {
			for j, b := range o[k] {
				product[i][j] += a * b
			}
		}
	}
	return product
}

// apart returns how far a matrix is from the exact average.
func (m matrix) apart() float64 {
	worst := 0.0
	for _, row := range m {
		for _, w := range row {
			worst = max(worst, math.Abs(w-1/float64(len(m))))
		}
	}
	return worst
}

// check wants a symmetric, doubly stochastic matrix without negative weights.
func (m matrix) check() error {
	for i, row := range m {
		sum := 0.0
		for j, w := range row {
			sum += w
			if w != m[j][i] && i != j {
				return fmt.Errorf("weights %v from %d to %d and %v back", w, i, j, m[j][i])
			}
			if w < -1e-12 {
				return fmt.Errorf("weight %v from %d to %d", w, i, j)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			return fmt.Errorf("row %d sums to %v", i, sum)
		}
	}
	return nil
}

// product multiplies the rounds from first on.
func product(s *topology.Schedule, n int, first, rounds uint64) matrix {
	m := make(matrix, n)
	for v := range n {
		m[v] = make([]float64, n)
		m[v][v] = 1
	}
	for round := range rounds {
		m = matrixOf(s, n, first+round).times(m)
	}
	return m
}

// scheduled returns a schedule over its own graph.
func scheduled(t interface {
	Helper()
	Fatal(...any)
}, s topology.ScheduleSpec, base *topology.Graph, slow []bool,
) (*topology.Schedule, *topology.Graph) {
	t.Helper()
	g, err := topology.ScheduleGraph(s, base)
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := topology.NewSchedule(s, g, slow)
	if err != nil {
		t.Fatal(err)
	}
	return schedule, g
}

func drawSchedule(t *rapid.T, n int) topology.ScheduleSpec {
	s := topology.ScheduleSpec{
		Kind: rapid.SampledFrom(append(topology.ScheduleKinds(), "")).Draw(t, "kind"),
		Size: rapid.SampledFrom([]int{0, 2, 3, 5, 50}).Draw(t, "size"), Every: rapid.IntRange(0, 3).Draw(t, "every"),
		Seed: rapid.Uint64().Draw(t, "seed"),
	}
	if s.Kind == "one-peer-exponential" && n&(n-1) != 0 {
		s.Kind = "base"
	}
	return s
}

// TestEveryRoundIsDoublyStochastic for every kind, size and number of peers; each weight is on an edge
// of the schedule's graph, mates come in order, and two schedules agree in whatever order they are asked.
func TestEveryRoundIsDoublyStochastic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		base := circulantOf(t, n)
		s := drawSchedule(t, n)
		slow := make([]bool, n)
		slow[rapid.IntRange(0, n-1).Draw(t, "slow")] = true
		schedule, g := scheduled(t, s, base, slow)
		again, _ := scheduled(t, s, base, slow)
		for _, round := range []uint64{0, 1, 2, 3, 4, 5, 1 << 40, math.MaxUint64, 3} {
			if err := matrixOf(schedule, n, round).check(); err != nil {
				t.Fatalf("round %d of %+v over %d peers: %v", round, s, n, err)
			}
			for v := n - 1; v >= 0; v-- {
				mates := schedule.Mates(v, round)
				if !slices.Equal(mates, again.Mates(v, round)) {
					t.Fatalf("round %d of %+v: peer %d has other mates the second time", round, s, v)
				}
				for i, m := range mates {
					if !g.Has(v, m.Peer) || i > 0 && mates[i-1].Peer >= m.Peer {
						t.Fatalf("round %d of %+v: mates %v of peer %d", round, s, mates, v)
					}
				}
			}
		}
	})
}

func circulantOf(t interface{ Fatal(...any) }, n int) *topology.Graph {
	g, err := topology.Generate(topology.Spec{Graph: "circulant", N: n, Degree: min(4, max(0, (n-1)/2*2))})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestBaseAveragesExactly after the length that the paper gives, for every number of peers and degree,
// from any round on, and nobody ever has more than k neighbours.
func TestBaseAveragesExactly(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 40; n++ {
		for k := 1; k <= 4; k++ {
			s, _ := scheduled(t, topology.ScheduleSpec{Kind: "base", Size: k}, topology.New(n), nil)
			period := uint64(0)
			for product(s, n, 0, period).apart() > 1e-12 {
				if period++; float64(period) > 2*math.Log(float64(n))/math.Log(float64(k+1))+2 {
					t.Fatalf("%d peers of degree %d do not agree after %d rounds", n, k, period)
				}
			}
			if period > 0 && product(s, n, period, period).apart() > 1e-12 {
				t.Errorf("%d peers of degree %d: the second period differs from the first", n, k)
			}
			for round := range period {
				for v := range n {
					if d := len(s.Mates(v, round)); d > k {
						t.Fatalf("%d peers of degree %d: peer %d has %d neighbours in round %d", n, k, v, d, round)
					}
				}
			}
		}
	}
}

// TestBaseOfTheBestLength: five and six peers in pairs, as in figures of the paper; a smooth number is a
// hypercube.
func TestBaseOfTheBestLength(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, k, rounds int }{
		{5, 1, 5}, {6, 1, 4}, {7, 2, 4}, {8, 1, 3}, {9, 2, 2}, {12, 3, 2}, {36, 5, 2}, {30, 4, 3},
	} {
		s, _ := scheduled(t, topology.ScheduleSpec{Kind: "base", Size: c.k}, topology.New(c.n), nil)
		rounds := uint64(c.rounds)
		if product(s, c.n, 0, rounds).apart() > 1e-12 || product(s, c.n, 0, rounds-1).apart() < 1e-3 {
			t.Errorf("%d peers of degree %d do not agree after exactly %d rounds", c.n, c.k, c.rounds)
		}
	}
}

func TestOnePeerExponentialAveragesExactly(t *testing.T) {
	t.Parallel()
	for bits := range uint64(6) {
		n := 1 << bits
		s, g := scheduled(t, topology.ScheduleSpec{Kind: "one-peer-exponential"}, topology.New(n), nil)
		if got := product(s, n, 0, bits).apart(); got != 0 {
			t.Errorf("%d peers are %v apart after %d rounds", n, got, bits)
		}
		if g.Degree(0) != int(bits) || len(g.Edges()) != n*int(bits)/2 {
			t.Errorf("graph of %d peers has %d edges", n, len(g.Edges()))
		}
	}
}

// TestRandomSchedulesConverge although no round of a matching or of cells is connected.
func TestRandomSchedulesConverge(t *testing.T) {
	t.Parallel()
	for _, s := range []topology.ScheduleSpec{
		{Kind: "matching", Seed: 1},
		{Kind: "cells", Size: 4},
		{Kind: "cells", Size: 5, Every: 1},
		{Kind: "groups", Size: 3, Seed: 9},
		{},
	} {
		const n = 12
		schedule, _ := scheduled(t, s, circulantOf(t, n), nil)
		if got := product(schedule, n, 3, 400).apart(); got > 1e-3 {
			t.Errorf("%+v: %v apart after 400 rounds", s, got)
		}
	}
}

// TestMatchingIsMaximal: no edge is left of which both ends are alone, and rounds differ.
func TestMatchingIsMaximal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 30)
		s, links := scheduled(t, topology.ScheduleSpec{Kind: "matching", Seed: rapid.Uint64().Draw(t, "seed")}, g, nil)
		if links != g {
			t.Fatal("the links of a matching are not the graph itself")
		}
		for round := range uint64(10) {
			for _, e := range g.Edges() {
				if len(s.Mates(e.U, round)) == 0 && len(s.Mates(e.V, round)) == 0 {
					t.Fatalf("round %d leaves both ends of %d-%d alone", round, e.U, e.V)
				}
			}
		}
	})
	s, _ := scheduled(t, topology.ScheduleSpec{Kind: "matching"}, circulantOf(t, 30), nil)
	if slices.EqualFunc(matrixOf(s, 30, 0), matrixOf(s, 30, 1), slices.Equal[[]float64]) {
		t.Error("two rounds have the same matching")
	}
}

// TestCellsCrossInTurn: peers of a cell average at once, and a line between cells is used in every
// third round alone.
func TestCellsCrossInTurn(t *testing.T) {
	t.Parallel()
	s, g := scheduled(t, topology.ScheduleSpec{Kind: "cells", Size: 3, Every: 3}, topology.New(10), nil)
	if got, want := edges(g), edges(generate(t, topology.Spec{Graph: "clusters", N: 10, Clusters: 3})); got != want {
		t.Errorf("links %s, want %s", got, want)
	}
	for round, want := range []string{"1:0.3333 2:0.3333", "1:0.3333 2:0.3333", "1:0.1667 2:0.1667 9:0.5"} {
		if got := texts(s.Mates(0, uint64(round))); got != want {
			t.Errorf("round %d: mates %s, want %s", round, got, want)
		}
	}
}

// texts prints mates as "9:0.5".
func texts(mates []topology.Mate) string {
	var words []string
	for _, m := range mates {
		words = append(words, fmt.Sprintf("%d:%.4g", m.Peer, m.Weight))
	}
	return strings.Join(words, " ")
}

// TestGroupsSpreadSlowPeers: sizes and numbers of slow peers differ by one at most, whoever is slow.
func TestGroupsSpreadSlowPeers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		size := rapid.IntRange(1, 8).Draw(t, "size")
		slow := make([]bool, n)
		for v := range slow {
			slow[v] = rapid.IntRange(0, 2).Draw(t, "slow") == 0
		}
		s, _ := scheduled(t, topology.ScheduleSpec{Kind: "groups", Size: size, Seed: 5}, topology.New(n), slow)
		for round := range uint64(5) {
			members, slows := span{n, 0}, span{n, 0}
			for v := range n {
				slowCount := 0
				group := append([]topology.Mate{{Peer: v}}, s.Mates(v, round)...)
				for _, m := range group {
					if slow[m.Peer] {
						slowCount++
					}
				}
				members, slows = members.with(len(group)), slows.with(slowCount)
			}
			if members.high > size || members.high-members.low > 1 || slows.high-slows.low > 1 {
				t.Fatalf("round %d: groups of %v peers with %v slow ones", round, members, slows)
			}
		}
	})
}

type span struct{ low, high int }

func (s span) with(x int) span { return span{min(s.low, x), max(s.high, x)} }

// TestScheduleKeepsTheWeightOfAMissingEdge: where a link is gone both ends keep what it weighed.
func TestScheduleKeepsTheWeightOfAMissingEdge(t *testing.T) {
	t.Parallel()
	for _, kind := range topology.ScheduleKinds() {
		s := topology.ScheduleSpec{Kind: kind, Size: 3, Every: 1}
		base := generate(t, topology.Spec{Graph: "full", N: 16})
		all, _ := scheduled(t, s, base, nil)
		some, err := topology.NewSchedule(s, generate(t, topology.Spec{Graph: "ring", N: 16}), nil)
		if err != nil {
			t.Fatal(err)
		}
		missing := 0
		for round := range uint64(6) {
			if err := matrixOf(some, 16, round).check(); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
			for v := range 16 {
				missing += len(all.Mates(v, round)) - len(some.Mates(v, round))
			}
		}
		if missing == 0 {
			t.Errorf("%s: a ring has all edges", kind)
		}
	}
}

func TestSchedulesThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		spec topology.ScheduleSpec
		n    int
		want string
	}{
		{topology.ScheduleSpec{Kind: "one-peer-exponential"}, 12, "use 16 peers, or schedule base"},
		{topology.ScheduleSpec{Kind: "one-peer-exponential"}, 9, "use 8 peers, or schedule base"},
		{topology.ScheduleSpec{Kind: "cells", Size: 1}, 9, "a cell has two peers at least"},
		{topology.ScheduleSpec{Kind: "base", Size: -1}, 9, "give positive numbers"},
		{topology.ScheduleSpec{Kind: "bse"}, 9, `schedule "bse" is not one of one-peer-exponential, base`},
	} {
		_, err := topology.ScheduleGraph(c.spec, topology.New(c.n))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c.spec, err)
		}
	}
	_, err := topology.NewSchedule(topology.ScheduleSpec{Kind: "groups"}, topology.New(9), make([]bool, 8))
	if err == nil || !strings.Contains(err.Error(), "8 peers are marked slow or not, of 9") {
		t.Errorf("error %v", err)
	}
}

// TestMatesDoNotAllocate once the schedule has warmed up.
func TestMatesDoNotAllocate(t *testing.T) {
	for _, kind := range topology.ScheduleKinds() {
		s, _ := scheduled(t, topology.ScheduleSpec{Kind: kind}, generate(t, topology.Spec{Graph: "full", N: 64}), nil)
		all := func() {
			for v := range 64 {
				s.Mates(v, 7)
			}
		}
		all()
		if n := testing.AllocsPerRun(5, all); n > 0 {
			t.Errorf("%s: %v allocations", kind, n)
		}
	}
}
