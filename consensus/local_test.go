package consensus

import (
	"math"
	"strings"
	"testing"

	"github.com/starling-ml/starling/internal/seed"
)

// uneven is a network of 16 peers, three of them four times slower, each of which walks to a point of its
// own.
type uneven struct {
	*network
	points map[Peer][]float32
}

func newUneven(t *testing.T, o Options) uneven {
	t.Helper()
	u := uneven{points: map[Peer][]float32{}}
	u.network = newNetwork(t, ring(16, 2), o, func(_ int, c *Config) { c.Params = make([]float32, siegeParams) })
	for _, p := range u.names {
		stream := seed.Stream(5, "point", string(p))
		for range siegeParams {
			u.points[p] = append(u.points[p], float32(stream.NormFloat64()))
		}
	}
	u.learn = towards(0.002, u.points)
	u.step = jitter(2, map[Peer]float64{"c": 4, "h": 4, "m": 4})
	return u
}

// bias returns the squared distance of the average estimate to the average of the points.
func (u uneven) bias() float64 {
	sum := 0.0
	for i := range siegeParams {
		d := 0.0
		for _, p := range u.names {
			d += float64(u.peers[p].Params()[i]-u.points[p][i]) / 16
		}
		sum += d * d
	}
	return sum
}

// The paper's claim (FedNova): with unequal numbers of local steps the plain average is that of another
// problem, and updates divided by their steps solve the right one. Ours: the usual steps are those of the
// neighbourhood.
func TestUnequalWorkMovesTheOptimum(t *testing.T) {
	measured(t)
	bias := map[string]float64{}
	for name, o := range map[string]Options{
		"plain":      {Recipe: "dpsgd", Budget: 8000},
		"normalised": {Recipe: "dpsgd", Budget: 8000, Normalise: true},
		"equal":      {Recipe: "dpsgd", LocalSteps: 8},
		"budget":     {Recipe: "budget"},
		"local":      {Recipe: "local", Budget: 8000, Weights: Constant},
	} {
		u := newUneven(t, o)
		u.run(12_000_000) // in step with a peer four times slower this is a quarter of the others' rounds
		bias[name] = u.bias()
		t.Logf("%s: %.2g", name, bias[name])
	}
	if bias["plain"] < 2e-2 {
		t.Errorf("without normalise the average is off by %.2g only", bias["plain"])
	}
	for _, name := range []string{"normalised", "equal", "budget", "local"} {
		if bias[name] > bias["plain"]/25 {
			t.Errorf("%s is off by %.2g, without normalise it is %.2g", name, bias[name], bias["plain"])
		}
	}
}

// PR-SGD: a block of eight steps sends an eighth of the messages, and the network learns as fast.
func TestLocalSendsAnEighth(t *testing.T) {
	run := func(o Options) uneven {
		u := newUneven(t, o)
		u.run(1_000_000)
		return u
	}
	seldom, often := run(Options{Recipe: "local"}), run(Options{Recipe: "quorum"})
	if got, all := seldom.sent["Estimate"], often.sent["Estimate"]; got > all/6 {
		t.Errorf("local sends %d estimates, quorum %d", got, all)
	}
	steps := func(u uneven) (sum uint64) {
		for _, m := range u.peers {
			sum += m.Steps()
		}
		return sum
	}
	if steps(seldom) < steps(often)*9/10 {
		t.Errorf("local does %d steps, quorum %d", steps(seldom), steps(often))
	}
}

func TestDefaultsOfLocal(t *testing.T) {
	for _, c := range []struct {
		o         Options
		steps     int
		normalise bool
	}{
		{Options{Recipe: "local"}, 8, false},
		{Options{Recipe: "local", LocalSteps: 3}, 3, false},
		{Options{Recipe: "local", Budget: Second}, 8, true},
		{Options{Recipe: "local", Budget: Second, Share: BySpeed}, 8, false},
		{Options{Recipe: "local", Momentum: 0.5}, 8, false},
		{Options{Recipe: "budget"}, 8, true},
		{Options{Recipe: "budget", Momentum: 0.5}, 8, true},
		{Options{Recipe: "quorum", Budget: Second, Normalise: true}, 1, true},
	} {
		got, err := Compose(c.o, ring(6, 1))
		if err != nil || got.Options.LocalSteps != c.steps || got.Options.Normalise != c.normalise || got.Warnings != nil {
			t.Errorf("%+v: got %+v, %v", c.o, got, err)
		}
	}
	_, err := Compose(Options{Recipe: "quorum", Budget: Second, Normalise: true, Share: BySpeed}, nil)
	if err == nil || !strings.Contains(err.Error(), "normalise does not go with share speed") {
		t.Errorf("both corrections at once: %v", err)
	}
	c := compose(t, Options{Recipe: "quorum", Budget: Second})
	if len(c.Warnings) != 1 || c.Warnings[0].ID != "W009 unequal-work" {
		t.Errorf("a budget alone: %v", c.Warnings)
	}
}

// A block is bounded, and one that outlasts the budget does one step.
func TestStepsWithinABudget(t *testing.T) {
	for _, c := range []struct {
		budget, step Duration
		want         int
	}{{1000, 0, 1}, {1000, 100, 10}, {1000, 101, 9}, {1000, 3000, 1}, {1 << 40, 1, 4096}} {
		m := &Machine{options: Options{Budget: c.budget}, pace: pace{step: c.step, steps: 5}}
		if got := (plain{}).steps(m); got != c.want {
			t.Errorf("%d of %d: %d steps, want %d", c.step, c.budget, got, c.want)
		}
	}
	m := &Machine{pace: pace{steps: 5}}
	if got := (plain{}).steps(m); got != 5 {
		t.Errorf("without a budget: %d steps, want 5", got)
	}
	if got := (budgeted{}).steps(m); got != 1 {
		t.Errorf("before anything is measured: %d steps, want 1", got)
	}
}

// The usual work is the upper median of those that are there; nothing is enlarged more than eightfold.
func TestUsualWork(t *testing.T) {
	for _, c := range []struct {
		steps int
		works []int
		want  float32
	}{
		{4, nil, 1},
		{4, []int{8, 8}, 2},
		{16, []int{8, 8}, 0.5},
		{2, []int{4}, 2},
		{8, []int{0, 0, 4}, 1},
		{1, []int{99, 99}, 8},
	} {
		m := &Machine{}
		for _, work := range c.works {
			n := &neighbour{live: true}
			n.replica.Work = work
			m.view.neighbours = append(m.view.neighbours, n, &neighbour{})
		}
		if got := m.normaliser(c.steps); math.Abs(float64(got-c.want)) > 1e-7 {
			t.Errorf("%d steps among %v: times %v, want %v", c.steps, c.works, got, c.want)
		}
	}
	if got := (&Machine{}).normaliser(0); got != 1 {
		t.Errorf("a block without steps: times %v", got)
	}
}

// Rounds of a budget last equally long although one peer is four times slower.
func TestBudgetRoundsLastTheBudget(t *testing.T) {
	for name, o := range map[string]Options{"given": {Recipe: "budget", Budget: 8000}, "usual": {Recipe: "budget"}} {
		u := newUneven(t, o)
		u.run(1_000_000)
		if rounds := u.peers["a"].Round(); rounds < 100 || rounds > 140 {
			t.Errorf("%s: %d rounds in the time of 125 budgets", name, rounds)
		}
		if a, c := u.peers["a"].Steps(), u.peers["c"].Steps(); c*3 > a || c*5 < a {
			t.Errorf("%s: %d steps, and %d of a peer four times slower", name, a, c)
		}
	}
}
