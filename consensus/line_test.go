package consensus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/starling-ml/starling/topology"
)

var graphsByEdges = cmp.Comparer(func(a, b *topology.Graph) bool {
	return a.N() == b.N() && cmp.Equal(a.Edges(), b.Edges())
})

// drawEvent makes any event; vectors are short, so that lines can be read back.
func drawEvent(r *rapid.T) Event {
	peer := rapid.Custom(func(r *rapid.T) Peer {
		return Peer(rapid.StringMatching(`[a-e]|[ -~]{1,5}|12D3.{3}`).Draw(r, "peer"))
	})
	number := rapid.Uint64()
	vector := rapid.SliceOfN(rapid.Float32Range(-3, 3), 1, shortVector)
	switch rapid.IntRange(0, 9).Draw(r, "event") {
	case 0:
		return Wake{}
	case 1:
		return Joined{Peer: peer.Draw(r, "who")}
	case 2:
		return Left{Peer: peer.Draw(r, "who")}
	case 3:
		return Trained{
			Block: number.Draw(r, "block"), Params: vector.Draw(r, "params"), Steps: rapid.Int().Draw(r, "steps"),
			Loss: rapid.Float32Range(-1, 9).Draw(r, "loss"),
		}
	case 4:
		return Sent{To: peer.Draw(r, "to"), Seq: number.Draw(r, "seq")}
	case 5:
		return SendFailed{To: peer.Draw(r, "to"), Seq: number.Draw(r, "seq")}
	case 6:
		return MixTook{Duration: Duration(rapid.Int64().Draw(r, "took"))}
	case 7:
		return Rewired{
			Epoch: number.Draw(r, "epoch"), Members: letters(4), Graph: randomGraph(number.Draw(r, "graph"), 4),
			Slow: rapid.SliceOfN(peer, 1, 2).Draw(r, "slow"),
		}
	}
	return Received{From: peer.Draw(r, "from"), Message: drawMessage(r, peer, number, vector)}
}

func drawMessage(
	r *rapid.T, peer *rapid.Generator[Peer], number *rapid.Generator[uint64], vector *rapid.Generator[[]float32],
) Message {
	epoch, round := number.Draw(r, "epoch"), number.Draw(r, "round")
	switch rapid.IntRange(0, 5).Draw(r, "message") {
	case 0:
		return Established{
			Epoch: epoch, Cycle: number.Draw(r, "cycle"), Round: round, U: peer.Draw(r, "u"), V: peer.Draw(r, "v"),
		}
	case 1:
		return Intent{Epoch: epoch, Round: round, Include: rapid.Bool().Draw(r, "include")}
	case 2:
		return Degree{Epoch: epoch, Round: round, Active: rapid.Int().Draw(r, "active")}
	case 3:
		return Done{Epoch: epoch, Round: round, Peer: peer.Draw(r, "done"), Gone: rapid.Bool().Draw(r, "gone")}
	case 4:
		return Speed{
			Epoch: epoch, Peer: peer.Draw(r, "peer"), Version: number.Draw(r, "version"),
			StepTime: Duration(rapid.Int64().Draw(r, "speed")),
		}
	}
	return Estimate{
		Epoch: epoch, Round: round, Seq: number.Draw(r, "seq"), Steps: number.Draw(r, "steps"),
		StepTime: Duration(rapid.Int64().Draw(r, "step")), Degree: rapid.Int().Draw(r, "degree"),
		Loss: rapid.Float32Range(-1, 9).Draw(r, "loss"), Params: vector.Draw(r, "params"),
		Work: rapid.IntRange(0, 99).Draw(r, "work"), Base: number.Draw(r, "base"), Answer: number.Draw(r, "answer"),
		Weight: rapid.Float64Range(0, 9).Draw(r, "weight"),
		Extra:  rapid.SampledFrom([][]float32{nil, {1, -2}}).Draw(r, "extra"),
		Frame:  rapid.SampledFrom([][]byte{nil, {0, 255, 7}}).Draw(r, "frame"),
	}
}

// Lines read back to what they were made from, and are words in one line.
func TestLinesReadBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		ev := drawEvent(r)
		line := ev.String()
		if strings.ContainsAny(line, "\n\r\t") {
			r.Fatalf("line %q is not one line", line)
		}
		back, err := ParseEvent(line)
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(ev, back, graphsByEdges); diff != "" {
			r.Fatalf("%q: %s", line, diff)
		}
	})
}

func TestParseEventNamesWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "no event word",
		"woke":                               `"woke" is not an event`,
		"wake at=5":                          `wake has no field "at"`,
		"sent to=a seq=-1":                   `"-1" is not a number without sign`,
		"sent to=a seq=1 seq=2":              "given twice",
		"trained steps=x":                    `"x" is not an integer`,
		"trained loss=much":                  `"much" is not a number`,
		"trained params=1,2":                 "is not a vector",
		"trained params=[1,x]":               `"x" is not a number`,
		"received from=a":                    "without a message",
		"received from=a letter":             `"letter" is not a message`,
		"received from=%zz intent":           "name",
		"received from=a% intent":            "ends within an escape",
		"received from=a intent include=yes": "is not true",
		"rewired members=a,b edges=0-2":      "vertices are 0 to 1",
		"rewired members=a,b edges=01":       "is not two vertices",
		"rewired members=a,%g1":              "invalid syntax",
	} {
		if _, err := ParseEvent(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q in it", text, err, want)
		}
	}
}

// Long vectors print as a fingerprint that changes with every bit.
func TestLongVectorsPrintAsFingerprints(t *testing.T) {
	x := make([]float32, 100)
	one := Trained{Params: x}.String()
	y := append([]float32{}, x...)
	y[99] = 1e-30
	other := Trained{Params: y}.String()
	if one == other || len(one) > 60 {
		t.Errorf("%s\n%s", one, other)
	}
	if _, err := ParseEvent(one); err == nil {
		t.Error("a fingerprint was read as a vector")
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add("received from=a estimate round=1 seq=2 params=[1,2]")
	f.Add("rewired epoch=5 members=a,b,c edges=0-1,1-2 slow=c")
	f.Add("trained block=1 params=[]")
	f.Fuzz(func(t *testing.T, text string) {
		ev, err := ParseEvent(text)
		if err != nil {
			return
		}
		again, err := ParseEvent(ev.String())
		if err != nil {
			t.Fatalf("%q reads as %q, which does not read: %v", text, ev, err)
		}
		if again.String() != ev.String() {
			t.Fatalf("%q reads as %q and then as %q", text, ev, again)
		}
	})
}
