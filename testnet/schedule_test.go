package testnet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/testnet"
)

func describe(actions []testnet.Action) []string {
	var lines []string
	for _, a := range actions {
		lines = append(lines, fmt.Sprintf("%v %s %d %g %t", a.At, a.Do, a.Peer, a.Factor, a.Fresh))
	}
	return lines
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string][]string{
		"{at: 1s, do: pause, peers: 5, for: 500ms}":          {"1s pause 5 0 false", "1.5s resume 5 0 false"},
		"{at: 1s, do: slow, peers: slow, compute: 2x}":       {"1s slow 3 2 false", "1s slow 5 2 false"},
		"{at: 1s, do: slow, peers: 0, compute: 2x, for: 1s}": {"1s slow 0 2 false", "2s slow 0 1 false"},
		"{at: 1s, do: kill, peers: 7, restart_after: 1s, fresh: true}": {
			"1s kill 7 0 true", "2s restart 7 0 true",
		},
		"{every: 600ms, do: resume, peers: 0}": {
			"600ms resume 0 0 false", "1.2s resume 0 0 false", "1.8s resume 0 0 false",
		},
		"{every: 600ms, until: 1s, do: restart, peers: 0-1}": {"600ms restart 0 0 false", "600ms restart 1 0 false"},
	} {
		got := describe(plansOf(t, small+"schedule: ["+entry+"]\n")[0].Actions)
		if !slices.Equal(got, want) {
			t.Errorf("%s gives %q, expected %q", entry, got, want)
		}
	}
}

func TestScheduleIsInTheOrderOfTime(t *testing.T) {
	t.Parallel()
	plan := plansOf(t, small+"schedule:\n"+
		"  - {at: 1500ms, do: pause, peers: 1}\n"+
		"  - {every: 700ms, do: slow, peers: \"random: 1\", compute: 2x}\n"+
		"  - {at: 1500ms, do: resume, peers: 1}\n")[0]
	var order []string
	for _, a := range plan.Actions {
		order = append(order, string(a.Do))
	}
	if !slices.Equal(order, []string{"slow", "slow", "pause", "resume"}) {
		t.Errorf("order %v", order)
	}
	if plan.Actions[0].Line != 20 || plan.Actions[2].Line != 19 {
		t.Errorf("lines %d and %d", plan.Actions[0].Line, plan.Actions[2].Line)
	}
}

// One seed draws one choice, every time anew.
func TestRandomTargets(t *testing.T) {
	t.Parallel()
	entry := small + "schedule: [{every: 100ms, do: slow, peers: \"random: 2\", compute: 2x}]\n"
	first, again := plansOf(t, entry)[0].Actions, plansOf(t, entry)[0].Actions
	if !slices.Equal(first, again) {
		t.Error("one seed gives two schedules")
	}
	if slices.Equal(first, plansOf(t, entry, "seed=43")[0].Actions) {
		t.Error("two seeds give one schedule")
	}
	targets := map[int]bool{}
	for _, a := range first {
		targets[a.Peer] = true
	}
	if len(targets) < 5 {
		t.Errorf("twenty draws of two peers hit only %v", targets)
	}
}

func TestScheduleRefuses(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"{at: 1s, every: 1s, do: kill, peers: 1}":          "at and every are both given",
		"{at: 1s, until: 1s, do: kill, peers: 1}":          "until without every",
		"{at: 1s, do: kill, peers: 1, compute: 2x}":        "means nothing for do: kill",
		"{at: 1s, do: kill, peers: 1, for: 1s}":            "killed peers come back with restart_after",
		"{at: 1s, do: pause, peers: 1, restart_after: 1s}": "means nothing for do: pause",
		"{at: 1s, do: kill, peers: 1, fresh: true}":        "nothing is restarted here",
		"{at: 1s, do: kill}":                               "schedule.0.peers: missing",
	} {
		_, err := load(t, small+"schedule: ["+entry+"]\n")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", entry, err, want)
		}
	}
}
