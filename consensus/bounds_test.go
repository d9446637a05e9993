package consensus

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/starling-ml/starling/topology"
)

// A neighbour that runs far ahead, or floods, fills no memory: letters, held messages and the edges of
// a cycle have limits. What is needed first is kept.
func TestFloodingNeighbourIsBounded(t *testing.T) {
	for name, o := range every() {
		w := newNetwork(t, ring(4, 1), o, func(_ int, c *Config) { c.MaxAhead = 8 })
		m := w.peers["a"]
		m.Step(0, Wake{})
		for i := range uint64(5000) {
			m.Step(Time(i), Received{From: "b", Message: Estimate{Round: i, Seq: i + 1, Params: []float32{1, 2}}})
			m.Step(Time(i), Received{From: "b", Message: Intent{Round: i, Include: i%2 == 0}})
			m.Step(Time(i), Received{From: "b", Message: Degree{Round: i, Active: int(i)}})
			m.Step(Time(i), Received{From: "b", Message: Established{Epoch: 3, Round: 1, U: "a", V: "b"}})
			m.Step(Time(i), Received{From: "b", Message: Done{Round: i % 7, Peer: "q"}})
			m.Step(Time(i), Received{From: "q", Message: Estimate{Epoch: 9, Seq: i, Params: []float32{1, 2}}})
		}
		if got := len(m.view.find("b").inbox); got > 8 {
			t.Errorf("%s: %d letters are kept, the limit is 8", name, got)
		}
		if len(m.held) > heldLimit {
			t.Errorf("%s: %d messages are held", name, len(m.held))
		}
		if b := m.view.find("b").inbox; len(b) > 0 && o.Late != Abort && b[0].round != 0 {
			t.Errorf("%s: the oldest round kept is %d, round 0 is still open", name, b[0].round)
		}
	}
}

func TestInboxKeepsOldestAndNewest(t *testing.T) {
	var b inbox
	for _, round := range []uint64{3, 1, 9, 2, 12, 0} {
		b.open(round, 4)
	}
	var got []uint64
	for _, l := range b {
		got = append(got, l.round)
	}
	if len(got) != 4 || got[0] != 0 || got[1] != 1 || got[2] != 2 {
		t.Errorf("kept %v, want 0, 1, 2 and one later", got)
	}
	b.before(2)
	if len(b) == 0 || b[0].round != 2 {
		t.Errorf("after dropping rounds before 2: %v", b)
	}
}

// Whatever arrives in whatever order, a machine does not panic, asks for at most one block at a time
// and never writes a vector it was given.
func TestAnyEventsInAnyOrder(t *testing.T) {
	for name, o := range every() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				var script []byte
				for range rapid.IntRange(1, 300).Draw(r, "events") {
					script = append(script, rapid.Byte().Draw(r, "b"))
				}
				play(r, o, script)
			})
		})
	}
}

func FuzzMachine(f *testing.F) {
	f.Add(uint8(0), []byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Add(uint8(4), []byte("hello, is there anybody out there? just step if you can hear me"))
	f.Fuzz(func(t *testing.T, recipe uint8, script []byte) {
		all := Recipes()
		script = script[:min(len(script), 1000)]
		play(t, Options{Recipe: all[int(recipe)%len(all)].Name, Late: Abort}, script)
	})
}

// play turns bytes into events that mostly make sense.
func play(t rapid.TB, o Options, script []byte) {
	m, err := New(Config{
		Self: "a", Members: letters(4), Graph: ring(4, 1), Params: []float32{1, 2}, Options: o,
		Connected: []Peer{"b"}, SaveEvery: 20, Join: len(script)%5 == 0,
	})
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) uint64 { return uint64(script[i%len(script)]) }
	now, flight := Time(0), uint64(0)
	given := map[*float32][]float32{}
	for i := range script {
		now += Time(at(i+1) % 40)
		ev := playEvent(m, at, i, flight)
		if trained, ok := ev.(Trained); ok {
			given[unsafe.SliceData(trained.Params)] = append([]float32{}, trained.Params...)
			flight = 0 // answered
		}
		for _, e := range m.Step(now, ev) {
			switch e := e.(type) {
			case CancelTrain:
				flight = 0
			case Train:
				if flight != 0 {
					t.Fatalf("block %d was asked for while %d is in flight", e.Block, flight)
				}
				flight = e.Block
			}
			_ = e.String()
		}
		for first, want := range given {
			for k, f := range unsafe.Slice(first, len(want)) {
				if f != want[k] {
					t.Fatalf("a vector that was handed in was written")
				}
			}
		}
		for _, f := range m.Params() {
			if math.IsNaN(float64(f)) {
				t.Fatalf("the estimate is %v", m.Params())
			}
		}
		if m.Wake() < 0 {
			t.Fatalf("wake at %d", m.Wake())
		}
	}
}

func playEvent(m *Machine, at func(int) uint64, i int, flight uint64) Event {
	who := letters(5)[at(i+2)%5]
	round := m.Round() + at(i+3)%4
	switch at(i) % 16 {
	case 0, 1, 2:
		return Trained{Block: flight, Params: []float32{float32(at(i + 4)), 1}, Steps: int(at(i+5) % 3)}
	case 3:
		return Joined{Peer: who}
	case 4:
		return Left{Peer: who}
	case 5:
		return Sent{To: who, Seq: at(i + 4)}
	case 6:
		return SendFailed{To: who, Seq: m.seq}
	case 7:
		n := 2 + int(at(i+4)%4)
		return Rewired{Epoch: at(i + 5), Members: letters(n), Graph: ring(n, 1), Slow: []Peer{who}}
	case 8:
		return Received{From: who, Message: Intent{Round: round, Include: at(i+4)%2 == 0}}
	case 9:
		return Received{From: who, Message: Degree{Round: round, Active: int(at(i + 4))}}
	case 10:
		v := letters(5)[at(i+4)%5]
		return Received{From: who, Message: Established{
			Epoch: at(i+5) % 2, Cycle: at(i+6) % 3, Round: round, U: min(who, v), V: max(who, v),
		}}
	case 11:
		return Received{From: who, Message: Done{Round: round, Peer: letters(5)[at(i+4)%5], Gone: at(i+5)%2 == 0}}
	case 12:
		return MixTook{Duration: Duration(at(i + 4))}
	case 13:
		return Wake{}
	}
	return Received{From: who, Message: Estimate{
		Round: round, Seq: at(i + 4), StepTime: Duration(at(i + 5)), Degree: int(at(i + 6)), Params: []float32{1, 0},
	}}
}

// join puts two graphs side by side.
func join(a, b *topology.Graph) *topology.Graph {
	g := topology.New(a.N() + b.N())
	for _, e := range a.Edges() {
		if err := g.Add(e.U, e.V, 1); err != nil {
			panic(err)
		}
	}
	for _, e := range b.Edges() {
		if err := g.Add(a.N()+e.U, a.N()+e.V, 1); err != nil {
			panic(err)
		}
	}
	return g
}

func TestStepPanicsWhenTimeGoesBack(t *testing.T) {
	w := newNetwork(t, ring(2, 1), Options{Recipe: "quorum"}, nil)
	w.peers["a"].Step(5, Wake{})
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "from 5 to 4") {
			t.Errorf("got %q", text)
		}
	}()
	w.peers["a"].Step(4, Wake{})
}
