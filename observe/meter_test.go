package observe

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/vec"
)

func TestEffectsBecomeBodies(t *testing.T) {
	t.Parallel()
	took := consensus.Second / 1000
	for _, c := range []struct {
		effect consensus.Effect
		want   Body
	}{
		{
			consensus.Published{Round: 3, Seq: 4, Steps: 4, To: 2, MidBlock: true},
			Publish{Round: 3, Seq: 4, Steps: 4, Codec: "float32", To: 2, Mid: true},
		},
		{
			consensus.Mixed{
				Round: 3, Waited: consensus.Second / 4, WaitedFor: "b", Distance: 0.125, Missing: []consensus.Peer{"c"},
				Used: []consensus.Source{{
					Peer: "b", Round: 1, Seq: 2, Weight: 0.25, Age: consensus.Second / 2, Staleness: 2, Fresh: true,
				}},
				Influence: []consensus.Influence{{Peer: "a", Value: 0.6}, {Peer: "b", Value: 0.3}, {Peer: "c", Value: 0.1}},
			},
			mixed(),
		},
		{consensus.Lost{Round: 2, Steps: 4, Reason: "closed"}, Lost{Round: 2, Steps: 4, Reason: "closed"}},
		{consensus.Straggling{Peer: "b", Ratio: 10, On: true}, Straggler{Peer: "b", Ratio: 10, On: true}},
		{
			consensus.Published{Round: 3, Seq: 5, Codec: vec.Int8, To: 2},
			Publish{Round: 3, Seq: 5, Codec: "int8", To: 2},
		},
		{consensus.Published{Round: 3, Seq: 4, Skipped: true}, nil},
		{consensus.Train{}, nil},
		{consensus.CancelTrain{}, nil},
		{consensus.Send{}, nil},
		{consensus.Save{}, nil},
		{consensus.Ignored{}, nil},
	} {
		if diff := cmp.Diff(c.want, FromEffect(c.effect, took)); diff != "" {
			t.Errorf("%s: %s", c.effect, diff)
		}
	}
}

func TestABodyOutlivesTheEffectItCameFrom(t *testing.T) {
	t.Parallel()
	used, missing := []consensus.Source{{Peer: "b"}}, []consensus.Peer{"c"}
	mix := FromEffect(consensus.Mixed{Used: used, Missing: missing}, 0).(Mix)
	used[0].Peer, missing[0] = "x", "x" // the core reuses its slices
	if mix.Used[0].Peer != "b" || mix.Missing[0] != "c" {
		t.Errorf("the body changed with the effect: %+v", mix)
	}
}

func TestWarningsAreCountedNotRepeated(t *testing.T) {
	t.Parallel()
	sink := &kept{}
	m := NewMeter(MeterConfig{Source: virtual(), Sink: sink, Window: consensus.Duration(consensus.Never)})
	for second := range 61 {
		written := m.Warn(at(1000*second), "W1", "again")
		if want := second%30 == 0; written != want {
			t.Errorf("at %d s the warning was written: %v", second, written)
		}
	}
	if !m.Warn(at(61_000), "W2", "another") {
		t.Error("a warning is held back by one of another id")
	}
	var counts []int
	for _, body := range sink.bodies {
		counts = append(counts, body.(Warn).Count)
	}
	if diff := cmp.Diff([]int{1, 30, 30, 1}, counts); diff != "" {
		t.Error(diff)
	}
}

func TestStateIsWhatHappenedLast(t *testing.T) {
	t.Parallel()
	m := NewMeter(MeterConfig{Source: virtual()})
	if s := m.State(0); s.Status != "starting" || !math.IsNaN(float64(s.Loss)) {
		t.Errorf("a new state is %+v", s)
	}
	for _, body := range []Body{
		RunStart{Recipe: "quorum", Topology: "ring", Version: "1", Steps: 8},
		Step{Step: 12, Steps: 4, Loss: 0.5, Compute: 0.4},
		mixed(),
		Lost{Steps: 3},
		Lost{Steps: 2},
		Eval{Metrics: map[string]float64{"eval/accuracy": 0.9}},
		Straggler{Peer: "c", On: true},
		Straggler{Peer: "b", On: true},
		Straggler{Peer: "b"},
		Checkpoint{Step: 11, Outcome: "ok"},
		Checkpoint{Step: 12, Outcome: "failed"},
		Warn{Text: "look"},
	} {
		m.Emit(at(500), body)
	}
	m.Traffic(7, 9)
	m.Tick(at(1000))
	m.Tick(at(2500))
	s := m.State(at(2500))
	got := fmt.Sprint(s.Status, s.Recipe, s.Round, s.Step, s.Loss, s.StepTime, s.Distance, s.Lost, s.Eval,
		s.CheckpointStep, s.Warning, s.SentBytes, s.ReceivedBytes, s.StepRate, s.Time)
	want := fmt.Sprint("training", "quorum", 3, 12, 0.5, 0.1, 0.125, 5, map[string]Number{"eval/accuracy": 0.9},
		11, "look", 7, 9, 0, 2.5)
	if got != want {
		t.Errorf("state is %s, want %s", got, want)
	}
	rows := map[string]PeerState{}
	for _, row := range s.Peers {
		rows[row.Peer] = row
	}
	if b := rows["b"]; b.Age != 2.5 || b.Staleness != 2 || b.Weight != 0.25 || b.Influence != 0.3 ||
		b.Status != "training" {
		t.Errorf("the row of b is %+v; its estimate was 0.5 s old 2 s ago", b)
	}
	if c := rows["c"]; c.Status != "straggling" || c.Influence != 0.1 {
		t.Errorf("the row of c is %+v", c)
	}
	m.Note("d", func(row *PeerState) { row.Step = 7 })
	for _, peer := range []string{"b", "c", "d"} {
		m.Emit(at(2600), Member{Change: "join", Peer: peer})
	}
	m.Emit(at(2600), Member{Change: "evict", Peer: "b"})
	m.Emit(at(2600), Member{Change: "leave", Peer: "c"})
	if s := m.State(at(2600)); len(s.Peers) != 2 || s.Peers[1].Peer != "d" || s.Peers[1].Step != 7 {
		t.Errorf("after b and c went the rows are %+v", s.Peers)
	}
	m.Emit(at(2600), RunEnd{})
	if s := m.State(at(2600)); s.Status != "stopped" {
		t.Errorf("after the end the status is %s", s.Status)
	}
}

func TestAStateIsACopy(t *testing.T) {
	t.Parallel()
	m := NewMeter(MeterConfig{Source: virtual(), Metrics: NewMetrics(BuildInfo{})})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for k := range 200 {
				s := m.State(at(k))
				s.Eval["eval/loss"] = 0
				s.Row(fmt.Sprint(i)).Influence = 1
				m.Emit(at(k), Eval{Metrics: map[string]float64{"eval/loss": 1}})
				m.Emit(at(k), mixed())
			}
		})
	}
	wg.Wait()
	if s := m.State(at(1000)); s.Eval["eval/loss"] != 1 || len(s.Peers) != 3 {
		t.Errorf("writing to a copy changed the state: %+v", s)
	}
}
