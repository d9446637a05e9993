package observe

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/starling-ml/starling/consensus"
)

// kept is a sink that keeps what it gets.
type kept struct {
	at     []consensus.Time
	bodies []Body
}

func (k *kept) Emit(at consensus.Time, body Body) {
	k.at, k.bodies = append(k.at, at), append(k.bodies, body)
}

func (k *kept) windows() []Window {
	var windows []Window
	for _, body := range k.bodies {
		if w, ok := body.(Window); ok {
			windows = append(windows, w)
		}
	}
	return windows
}

func near(a, b Number) bool {
	return a == b || a != a && b != b || math.Abs(float64(a-b)) < 1e-12
}

func TestAWindowSumsUpASecond(t *testing.T) {
	t.Parallel()
	sink := &kept{}
	m := NewMeter(MeterConfig{Source: virtual(), Sink: sink})
	m.Traffic(1000, 300)
	m.Emit(at(100), Step{Step: 4, Steps: 4, Loss: 1, Compute: 0.1})
	m.Emit(at(300), mixed())
	m.Emit(at(400), Step{Step: 6, Steps: 2, Loss: 4, Compute: 0.2})
	m.Emit(at(700), Mix{Waited: 0.25, Took: 0.002, Distance: 0.5, Used: []Used{{Staleness: 0}, {Staleness: 7}}})
	m.Emit(at(800), Lost{Steps: 3})
	m.Traffic(1500, 400)
	m.Tick(at(999))
	if len(sink.windows()) != 0 {
		t.Fatal("a window was closed before its time")
	}
	m.Tick(at(1250))
	m.Tick(at(2250))
	want := []Window{
		{
			Span: 1.25, Step: 6, Steps: 6, Loss: 2, Compute: 0.3, Wait: 0.5, Mix: 0.003, Mixes: 2, Lost: 3,
			Sent: 1500, Received: 400, Distance: 0.5, StaleP50: 2, StaleP95: 7,
			WaitedFor: map[string]Number{"b": 0.25},
		},
		{Span: 1, Step: 6, Loss: Number(math.NaN()), Distance: Number(math.NaN())},
	}
	if diff := cmp.Diff(want, sink.windows(), cmp.Comparer(near)); diff != "" {
		t.Error(diff)
	}
}

func TestFlushedWindowsAddUpToTheWhole(t *testing.T) {
	t.Parallel()
	sink := &kept{}
	m := NewMeter(MeterConfig{Source: virtual(), Sink: sink})
	for i := range 7 {
		m.Traffic(uint64(100*(i+1)), 0)
		m.Emit(at(300*(i+1)), Lost{Steps: 1})
	}
	m.Flush(at(2100))
	m.Flush(at(2100)) // nothing is left
	var span Number
	var sent uint64
	lost := 0
	for _, w := range sink.windows() {
		span, sent, lost = span+w.Span, sent+w.Sent, lost+w.Lost
	}
	if !near(span, 2.1) || sent != 700 || lost != 7 {
		t.Errorf("windows of %v s hold %d bytes and %d lost steps, want 2.1 s, 700 and 7", span, sent, lost)
	}
}

func TestANumberThatIsNoneStaysNone(t *testing.T) {
	t.Parallel()
	var w Window
	if err := json.Unmarshal([]byte(`{"loss":null,"dist":1.5}`), &w); err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(float64(w.Loss)) || w.Distance != 1.5 {
		t.Errorf("loss %v and distance %v", w.Loss, w.Distance)
	}
}

func TestAnEventAfterTheWindowClosesItFirst(t *testing.T) {
	t.Parallel()
	sink := &kept{}
	m := NewMeter(MeterConfig{Source: virtual(), Sink: sink, Window: 5 * consensus.Second})
	m.Emit(at(4900), Step{Step: 1, Steps: 1})
	m.Emit(at(5000), Step{Step: 2, Steps: 1})
	if len(sink.bodies) != 3 || sink.bodies[1].kind() != "window" || sink.at[1] != at(5000) {
		t.Fatalf("events are %v at %v", sink.bodies, sink.at)
	}
	if got := sink.windows()[0].Steps; got != 1 {
		t.Errorf("the window has %d steps: the event that closes it belongs to the next", got)
	}
}

func TestQuantilesAgreeWithCounting(t *testing.T) {
	t.Parallel()
	const seed = 11
	random := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		values := make([]int64, 1+random.IntN(40))
		for i := range values {
			values[i] = random.Int64N(9) - 2
		}
		slices.Sort(values)
		for _, percent := range []int{1, 50, 95, 100} {
			got := quantile(values, percent)
			below, reached := 0, 0
			for _, v := range values {
				if v < got {
					below++
				}
				if v <= got {
					reached++
				}
			}
			if 100*reached < percent*len(values) || 100*below >= percent*len(values) {
				t.Fatalf("seed %d: %d %% of %v is %d", seed, percent, values, got)
			}
		}
	}
	if quantile(nil, 50) != 0 {
		t.Error("the median of nothing is not 0")
	}
}

func TestLeastInfluenceIsRelativeToAnEqualShare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shares map[string]Number
		want   float64
	}{
		{nil, 1},
		{map[string]Number{"a": 0.5, "b": 0.5}, 1},
		{map[string]Number{"a": 0.75, "b": 0.125, "c": 0.125, "d": 0}, 0},
		{map[string]Number{"a": 0.75, "b": 0.25}, 0.5},
	} {
		if got := leastInfluence(c.shares); got != c.want {
			t.Errorf("least influence of %v is %g, want %g", c.shares, got, c.want)
		}
	}
}
