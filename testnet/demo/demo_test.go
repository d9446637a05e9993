package demo_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/testnet/demo"
)

// outcomes runs a configuration in virtual time.
func outcomes(t *testing.T, c demo.Config) []demo.Outcome {
	t.Helper()
	c.Runtime = testnet.VirtualTime
	plans, err := c.Plans()
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.Run(t.Context(), testnet.Virtual{}, plans)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The story that the demo tells is true: the order of the lanes, not their figures.
func TestTheStory(t *testing.T) {
	t.Parallel()
	c := demo.Default()
	all := outcomes(t, c)
	wait, drop, ours := all[0], all[1], all[2]
	if ours.TimeToTarget == nil {
		t.Fatal("the default recipe did not reach the target")
	}
	if wait.TimeToTarget != nil && *wait.TimeToTarget <= *ours.TimeToTarget {
		t.Errorf("waiting for all took %.1f s, ours %.1f s", *wait.TimeToTarget, *ours.TimeToTarget)
	}
	if drop.Recall[demo.Class] >= min(wait.Recall[demo.Class], ours.Recall[demo.Class]) {
		t.Errorf("recall of %s: %.2f dropped, %.2f waited for, %.2f ours", demo.Class,
			drop.Recall[demo.Class], wait.Recall[demo.Class], ours.Recall[demo.Class])
	}
	if wait.StepRate >= drop.StepRate/2 || wait.WaitingRatio < 0.5 {
		t.Errorf("waiting for all: %.0f steps/s, %.0f %% waiting", wait.StepRate, 100*wait.WaitingRatio)
	}
	for i, want := range []string{"holds everybody up", "gets lost", "first at 95 %"} {
		if got := c.Verdict(all, i); !strings.Contains(got, want) {
			t.Errorf("lane %s: %q", all[i].Lane, got)
		}
	}
}

func TestVirtualDemosRepeat(t *testing.T) {
	t.Parallel()
	c := demo.Default()
	c.Length = 2 * time.Second
	first, second := outcomes(t, c), outcomes(t, c)
	for i := range first {
		if first[i].ModelHash != second[i].ModelHash {
			t.Errorf("lane %s ended elsewhere the second time", first[i].Lane)
		}
	}
}

// A verdict claims only what was measured.
func TestVerdict(t *testing.T) {
	t.Parallel()
	lane := func(rate, waiting, recall, time float64) demo.Outcome {
		r := testnet.Result{StepRate: rate, WaitingRatio: waiting, Recall: map[string]float64{demo.Class: recall}}
		if time > 0 {
			r.TimeToTarget = &time
		}
		return demo.Outcome{Result: r}
	}
	missed := lane(100, 0, 0.9, 1)
	missed.Overloaded = true
	for _, c := range []struct {
		slow float64
		all  []demo.Outcome
		want string
	}{
		{10, []demo.Outcome{lane(40, 0.77, 1, 0), lane(350, 0, 1, 3)}, "77 % of the time is waiting"},
		{1, []demo.Outcome{lane(40, 0.77, 1, 0), lane(350, 0, 1, 3)}, "recall of 7 is 1.00"},
		{10, []demo.Outcome{lane(350, 0, 0.7, 0), lane(350, 0, 1, 3)}, "gets lost: recall of 7 is 0.70"},
		{10, []demo.Outcome{lane(350, 0, 0.98, 3), lane(350, 0, 1, 4)}, "first at 95 %, and recall of 7 is 0.98"},
		{10, []demo.Outcome{lane(350, 0, 0.98, 0), lane(350, 0, 1, 0)}, "recall of 7 is 0.98"},
		{10, []demo.Outcome{lane(350, 0, 0.98, 3)}, "recall of 7 is 0.98"},
		{10, []demo.Outcome{missed}, "do not trust these times"},
	} {
		config := demo.Default()
		config.Slow = c.slow
		if got := config.Verdict(c.all, 0); !strings.Contains(got, c.want) {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}

func TestPlans(t *testing.T) {
	t.Parallel()
	c := demo.Default()
	c.Peers, c.Slow, c.Length, c.Seed, c.Dir = 3, 4, 5*time.Second, 9, "kept"
	c.Kills = []demo.Kill{{Peer: 1, At: 2 * time.Second}}
	plans, err := c.Plans()
	if err != nil || len(plans) != 3 {
		t.Fatal(plans, err)
	}
	p := plans[1]
	if p.Options.Recipe != "quorum" || p.Options.Mix != "fresh" || p.Seed != 9 || p.Dir != "kept/quorum-fresh" {
		t.Errorf("plan %+v", p)
	}
	if m := p.Members[2]; len(p.Members) != 3 || m.Step() != 80*time.Millisecond || m.Data.OnlyClasses[0] != "7" {
		t.Errorf("members %+v", p.Members)
	}
	if len(p.Actions) != 1 || p.Actions[0].Do != testnet.Kill || p.Actions[0].At != 2*time.Second {
		t.Errorf("actions %+v", p.Actions)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	c := demo.Config{Peers: 1, Slow: 0.5, Length: time.Millisecond, Kills: []demo.Kill{{Peer: 7, At: time.Hour}}}
	_, err := c.Plans()
	for _, want := range []string{
		"1 peers", "no recipe", "1ms a lane", "0.5x slower", "kill 7: peers are 0 to 0", "kill at 1h",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	c = demo.Default()
	c.Lanes = []demo.Lane{{Recipe: "dpsgd", Mix: "sideways"}}
	if _, err := c.Plans(); err == nil || !strings.Contains(err.Error(), "lane dpsgd:sideways") {
		t.Errorf("error %v", err)
	}
}

func TestParseLane(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"pulse", "quorum:fresh"} {
		if lane, err := demo.ParseLane(word); err != nil || lane.String() != word {
			t.Errorf("%s: %v, %v", word, lane, err)
		}
	}
	if _, err := demo.ParseLane("pulze"); err == nil || !strings.Contains(err.Error(), `did you mean "pulse"?`) {
		t.Errorf("error %v", err)
	}
}

// slowMachine keeps a pace of 80 ms and no other.
type slowMachine struct{ tried []time.Duration }

func (m *slowMachine) Run(_ context.Context, p *testnet.Plan) (testnet.Result, error) {
	step := p.Members[0].Compute.Step
	m.tried = append(m.tried, step)
	return testnet.Result{Overloaded: step < 80*time.Millisecond}, nil
}

func TestProbeLowersThePace(t *testing.T) {
	t.Parallel()
	var m slowMachine
	pace, err := demo.Default().Probe(t.Context(), &m)
	if err != nil || pace != 80*time.Millisecond || len(m.tried) != 3 {
		t.Errorf("pace %v after %v, %v", pace, m.tried, err)
	}
}
