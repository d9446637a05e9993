package consensus

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// siege is a network of 16 peers with 8 neighbours each, of which a and i are hostile: they answer first and
// say 100 everywhere. Peers e and m have both of them as neighbours. Each honest peer walks to a point of
// its own.
type siege struct {
	*network
	points map[Peer][]float32
}

const siegeParams = 10

func besiege(t *testing.T, o Options) siege {
	t.Helper()
	s := siege{points: map[Peer][]float32{}}
	s.network = newNetwork(t, ring(16, 4), o, func(_ int, c *Config) { c.Params = make([]float32, siegeParams) })
	for _, p := range s.names {
		stream := seed.Stream(3, "point", string(p))
		for range siegeParams {
			s.points[p] = append(s.points[p], float32(stream.NormFloat64()))
		}
	}
	walk := towards(0.01, s.points)
	s.learn = func(p Peer, x []float32, steps int) {
		if !hostile(p) {
			walk(p, x, steps)
			return
		}
		for i := range x {
			x[i] = 100
		}
	}
	s.step = jitter(9, map[Peer]float64{"a": 0.2, "i": 0.2, "c": 4, "g": 4, "k": 4})
	return s
}

func hostile(p Peer) bool { return p == "a" || p == "i" }

// onlyFresh mixes those alone that answered, which no option allows, with a quorum of p.
func (s siege) onlyFresh(p int) siege {
	for _, m := range s.peers {
		m.mix.(*latest).onlyFresh = true
		m.wait.(*quorumWait).need = func(*Machine) int { return p }
	}
	return s
}

// wrong runs the network and returns the mean squared distance of honest peers to their optimum.
func (s siege) wrong() float64 {
	s.run(400_000)
	sum := 0.0
	for i := range siegeParams {
		best := 0.0
		for _, p := range s.names {
			if !hostile(p) {
				best += float64(s.points[p][i]) / 14
			}
		}
		for _, p := range s.names {
			if d := float64(s.peers[p].Params()[i]) - best; !hostile(p) {
				sum += d * d / 14
			}
		}
	}
	return sum
}

func against(rule Robust, attackers int) Options {
	return Options{Recipe: "quorum", Weights: Constant, Robust: rule, Attackers: attackers}
}

// Our table (algorithm-family): the fastest p of 8 are mixed, two attackers answer first. Three estimates bear
// one attacker, and two peers have two of them; five bear two.
func TestFastestFewAndAttackersWhoAnswerFirst(t *testing.T) {
	for _, rule := range []Robust{Trim, NNA} { // clip shortens twice as many, and holds
		three := besiege(t, against(rule, 1)).onlyFresh(3).wrong()
		five := besiege(t, against(rule, 2)).onlyFresh(5).wrong()
		t.Logf("%s: fastest 3 %.2g, fastest 5 %.2g", rule, three, five)
		if three < 13 {
			t.Errorf("%s of the fastest 3 is wrong by %.2g, want it broken", rule, three)
		}
		if five > 2 {
			t.Errorf("%s of the fastest 5 is wrong by %.2g", rule, five)
		}
	}
}

// With the newest of all neighbours every rule holds, and the plain average does not.
func TestNewestOfAllHoldsAgainstAttackers(t *testing.T) {
	measured(t)
	plain := besiege(t, Options{Recipe: "quorum", Weights: Constant}).wrong()
	t.Logf("plain: %.2g", plain)
	if plain < 250 {
		t.Errorf("the plain average is wrong by %.2g, want it broken", plain)
	}
	for _, recipe := range []string{"quorum", "pulse", "dpsgd"} {
		for rule, most := range map[Robust]float64{Clip: 4, Trim: 1, NNA: 1} {
			o := against(rule, 2)
			o.Recipe = recipe
			wrong := besiege(t, o).wrong()
			t.Logf("%s, %s: %.2g", recipe, rule, wrong)
			if wrong > most {
				t.Errorf("%s with %s is wrong by %.2g, want at most %v", recipe, rule, wrong, most)
			}
		}
	}
}

// mixed lets one peer at x mix the estimates of its neighbours by a rule.
func mixedBy(t *testing.T, o Options, x float32, others ...float32) (float32, Mixed) {
	t.Helper()
	n := len(others) + 1
	g := topology.New(n)
	for i := 1; i < n; i++ {
		if err := g.Add(0, i, 1); err != nil {
			t.Fatal(err)
		}
	}
	c := Config{Self: "a", Members: letters(n), Graph: g, Params: []float32{x, 0}, Options: o, Connected: letters(n)[1:]}
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	m.Step(0, Wake{})
	for i, v := range others {
		m.Step(5, Received{From: letters(n)[i+1], Message: Estimate{Seq: 1, Degree: n - 1, Params: []float32{v, 0}}})
	}
	for _, e := range m.Step(10, Trained{Block: 1, Params: []float32{x, 0}, Steps: 1}) {
		if mixed, ok := e.(Mixed); ok {
			mixed.Used = slices.Clone(mixed.Used)
			return m.Params()[0], mixed
		}
	}
	t.Fatal("nothing was mixed")
	return 0, Mixed{}
}

// Five neighbours at 1, 2, 3, -10 and 50 of a peer at 0, each of weight 1/6, one or two of them hostile.
func TestRulesByHand(t *testing.T) {
	for _, c := range []struct {
		rule    Robust
		b       int
		want    float64 // times 6
		weights string
	}{
		{Clip, 1, 1 + 2 + 3 - 3 + 3, "6 6 6 20 100"},
		{Clip, 2, 1 + 1 + 1 - 1 + 1, "6 12 18 60 300"},
		{Trim, 1, 1 + 2 + 3, "10 10 10 10 10"},
		{Trim, 2, 2, "30 30 30 30 30"},
		{NNA, 1, 1 + 2 + 3 - 10, "6 6 6 6 +Inf"},
		{NNA, 2, 1 + 2 + 3, "6 6 6 +Inf +Inf"},
		{NNA, 3, 0, "+Inf +Inf +Inf +Inf +Inf"}, // too few to believe anybody
		{Trim, 3, 0, "+Inf +Inf +Inf +Inf +Inf"},
	} {
		got, mixed := mixedBy(t, Options{Recipe: "dpsgd", Robust: c.rule, Attackers: c.b}, 0, 1, 2, 3, -10, 50)
		if math.Abs(6*float64(got)-c.want) > 1e-5 {
			t.Errorf("%s against %d: moved to %v/6, want %v/6", c.rule, c.b, 6*got, c.want)
		}
		var weights []string
		for _, s := range mixed.Used {
			weights = append(weights, fmt.Sprintf("%.4g", 1/s.Weight))
		}
		if got := strings.Join(weights, " "); got != c.weights {
			t.Errorf("%s against %d: weights are one in %s, want %s", c.rule, c.b, got, c.weights)
		}
	}
}

// A rule that bears no attack takes the plain average when it is left nothing to do, whatever the order of
// the neighbours, and never goes beyond what honest ones say when attackers are at most b.
func TestRulesStayAmongTheHonest(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := rapid.IntRange(1, 3).Draw(r, "b")
		value := rapid.Float32Range(-1, 1)
		honest := rapid.SliceOfN(value, b+1, b+4).Draw(r, "honest")
		evil := rapid.SliceOfN(rapid.SampledFrom([]float32{-3e38, -7, 7, 1e20, 3e38}), b, b).Draw(r, "evil")
		x := value.Draw(r, "x")
		order := rapid.Permutation(append(slices.Clone(honest), evil...)).Draw(r, "order")
		low, high := min(x, slices.Min(honest)), max(x, slices.Max(honest))
		for _, rule := range []Robust{Clip, Trim, NNA} {
			o := Options{Recipe: "dpsgd", Robust: rule, Attackers: b}
			got, mixed := mixedBy(t, o, x, order...)
			slack := float32(1e-6)
			if rule == Clip { // shortened, not left out: by no more than the farthest honest one
				slack += high - low
			}
			if !(got >= low-slack && got <= high+slack) {
				r.Fatalf("%s against %d: %v from %v is beyond %v to %v", rule, b, got, x, low, high)
			}
			sum := float32(0)
			for _, s := range mixed.Used {
				sum += s.Weight
			}
			if sum > 1 || len(mixed.Used) != len(order) {
				r.Fatalf("%s: %d sources have %v together", rule, len(mixed.Used), sum)
			}
		}
	})
}

// Trimming in ranges gives the bits of trimming at once, and the twin that sorts each column agrees.
func TestTrimmingInRanges(t *testing.T) {
	stream := seed.Stream(1, "trim")
	const n, count, b = 100, 7, 2
	inputs, weights := make([][]float32, count), make([]float32, count)
	x := make([]float32, n)
	for j := range inputs {
		weights[j] = float32(stream.Float64() / count)
		for range n {
			inputs[j] = append(inputs[j], float32(stream.IntN(5)))
		}
	}
	whole, parts := make([]float32, n), make([]float32, n)
	trim := trimming{x, weights, inputs, b}
	trim.mix(whole, 0, n)
	for lo := 0; lo < n; lo += 30 {
		trim.mix(parts, lo, min(lo+30, n))
	}
	if !slices.Equal(whole, parts) {
		t.Error("ranges differ from the whole")
	}
	for i := range n {
		places := []int{0, 1, 2, 3, 4, 5, 6}
		slices.SortStableFunc(places, func(a, b int) int { return int(inputs[a][i] - inputs[b][i]) })
		want := 0.0
		for _, j := range places[b : count-b] {
			want += float64(weights[j]) * float64(inputs[j][i])
		}
		if math.Abs(float64(whole[i])-want) > 1e-6 {
			t.Errorf("parameter %d: %v, want %v", i, whole[i], want)
		}
	}
	if allocs := testing.AllocsPerRun(10, func() { trim.mix(whole, 0, n) }); allocs > 2 {
		t.Errorf("%v allocations for %d parameters", allocs, n)
	}
}

// A newcomer believes the middle of its neighbours, because its own estimate says nothing.
func TestNewcomersBelieveTheMiddle(t *testing.T) {
	m := &Machine{x: []float32{7}, options: Options{Robust: NNA, Attackers: 1}, shield: &shield{attackers: 1}}
	for _, c := range []struct {
		want   float32
		others []float32
	}{{2, []float32{1, 100, 2, 3}[:3]}, {2.5, []float32{1, 100, 2, 3}}, {4, []float32{4}}} {
		var inputs [][]float32
		for _, v := range c.others {
			inputs = append(inputs, []float32{v})
		}
		if got := m.average(inputs)[0]; got != c.want {
			t.Errorf("of %v it takes %v, want %v", c.others, got, c.want)
		}
	}
}

func TestComposeOfRobust(t *testing.T) {
	for name, c := range map[string]struct {
		o    Options
		want string
	}{
		"default":          {Options{Recipe: "quorum", Robust: NNA}, ""},
		"pulse":            {Options{Recipe: "pulse", Robust: Clip}, ""},
		"fresh":            {Options{Recipe: "quorum", Robust: NNA, Mix: Fresh}, "robust nna needs coverage"},
		"mutual edges":     {Options{Recipe: "dybw", Robust: Trim}, "robust trim does not go with edges agreed on"},
		"small quorum":     {Options{Recipe: "quorum", Robust: NNA, Quorum: 2}, "quorum 2 with 1 attackers"},
		"large quorum":     {Options{Recipe: "quorum", Robust: NNA, Quorum: 3}, ""},
		"too few":          {Options{Recipe: "dpsgd", Robust: NNA, Attackers: 2}, "needs 5 neighbours, and peer 0 has 4"},
		"without rule":     {Options{Recipe: "dpsgd", Attackers: 2}, "attackers 2 without a rule"},
		"with a schedule":  {Options{Recipe: "dpsgd", Robust: NNA, Schedule: topology.ScheduleSpec{Kind: "base"}}, "too few"},
		"an unknown rule":  {Options{Recipe: "dpsgd", Robust: "krum"}, `robust "krum": use clip, trim or nna`},
		"backup of latest": {Options{Recipe: "backup", Mix: Latest, Robust: Trim}, ""},
	} {
		got, err := Compose(c.o, ring(7, 2))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		if err == nil && got.Options.Attackers != 1 {
			t.Errorf("%s: %d attackers by default", name, got.Options.Attackers)
		}
	}
	// A quorum that is not given is raised: four of eight neighbours would do, five are waited for.
	w := newNetwork(t, ring(9, 4), against(NNA, 2), nil)
	w.step = func(p Peer, _ uint64) Duration { return 1000 * Duration(1+p[0]-'a') }
	w.check = func(p Peer, m *Machine, _ Event, effects []Effect) {
		for _, e := range effects {
			mixed, ok := e.(Mixed)
			if !ok || m.Round() > 1 {
				continue
			}
			fresh := 0
			for _, s := range mixed.Used {
				if s.Fresh {
					fresh++
				}
			}
			if fresh < 5 {
				t.Errorf("%s mixed with %d fresh neighbours", p, fresh)
			}
		}
	}
	w.run(20_000)
}
