package node

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/starling-ml/starling/consensus"
)

func TestStandingSurvivesTheWire(t *testing.T) {
	t.Parallel()
	want := Standing{
		Estimate: Estimate{Round: 3, Steps: 40, Params: []float32{1, -2.5, 1e-30}},
		Trained:  40, Lost: 2, Rounds: 7, Waited: time.Second, Asked: 4 * time.Second, Late: time.Millisecond,
		Influence: []consensus.Influence{{Peer: "a", Value: 0.25}, {Peer: "b", Value: 0.75}}, Sent: 9, Links: 1,
	}
	var wire bytes.Buffer
	if err := want.Write(&wire); err != nil {
		t.Fatal(err)
	}
	text := wire.String()
	got, err := ReadStanding(strings.NewReader(text), 3)
	if err != nil || cmp.Diff(want, got) != "" {
		t.Error(err, cmp.Diff(want, got))
	}
	for what, bad := range map[string]string{
		"short": text[:len(text)-1], "long": text + "x", "no line": "{}", "no JSON": "{\n",
		"endless": strings.Repeat(" ", 2<<20),
	} {
		if _, err := ReadStanding(strings.NewReader(bad), 3); err == nil {
			t.Errorf("%s: taken", what)
		}
	}
}

func TestStandingTellsAnOverloadedMachine(t *testing.T) {
	t.Parallel()
	var a account
	a.block(result{asked: 100 * time.Millisecond, late: 30 * time.Millisecond})
	if a.read().Overloaded() {
		t.Error("late by 30 % counts as overloaded")
	}
	a.block(result{asked: 10 * time.Millisecond, late: 10 * time.Millisecond})
	if !a.read().Overloaded() {
		t.Error("late by 36 % does not count as overloaded")
	}
}

func TestKilledNodesTakeNoCheckpoint(t *testing.T) {
	c := agent(t, "a")
	c.Checkpoint.Every = 1e18
	r := start(open(t, c))
	eventually(t, "steps", func() bool { return r.Estimate().Steps > 5 })
	if s := r.Standing(); s.Trained < 5 || s.Asked == 0 {
		t.Errorf("standing %+v", s)
	}
	r.kill(ErrKilled)
	<-r.done
	if r.err != nil || r.result.Reason != "killed" {
		t.Error(r.err, r.result.Reason)
	}
	again := open(t, c)
	defer again.Close()
	if steps := again.Estimate().Steps; steps != 0 {
		t.Errorf("a killed node resumed at step %d", steps)
	}
}
