package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/starling-ml/starling/testnet"
)

// reals are the runtimes with a real clock.
var reals = map[testnet.RuntimeName]testnet.Runtime{testnet.InProcess: InProcess{}, testnet.Processes: Processes{}}

// eachRuntime runs a test on both.
func eachRuntime(t *testing.T, test func(t *testing.T, name testnet.RuntimeName, r testnet.Runtime)) {
	t.Helper()
	for name, r := range reals {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			test(t, name, r)
		})
	}
}

// Every figure of a result is measured, and what a run leaves is where virtual runs leave it.
func TestResults(t *testing.T) {
	t.Parallel()
	eachRuntime(t, func(t *testing.T, name testnet.RuntimeName, runtime testnet.Runtime) {
		p := plan(t, "runtime="+string(name), "train.stop.time=1m", "train.stop.steps=100")
		p.Dir = t.TempDir()
		var moments []testnet.Moment
		p.Watch = func(m testnet.Moment) { moments = append(moments, m) }
		r, err := runtime.Run(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Runtime != string(name) || r.Peers != 3 || r.Recipe != "auto" || r.Seed != 7 {
			t.Errorf("the result names another run: %+v", r)
		}
		if r.Time <= 0 || r.RoundTime <= 0 || r.Steps == 0 || r.StepRate <= 0 || r.WaitingRatio < 0 || r.WaitingRatio > 1 {
			t.Errorf("times: %+v", r)
		}
		if r.Accuracy < r.AccuracyMin || r.Accuracy <= 0.3 || r.TimeToTarget == nil || len(r.Recall) != 10 {
			t.Errorf("scores: %+v", r)
		}
		if r.InfluenceMin <= 0 || r.SentBytes < 14440 || r.Distance <= 0 || len(r.ModelHash) != 32 {
			t.Errorf("exchange: %+v", r)
		}
		if len(moments) < 2 || moments[len(moments)-1].StepRate <= 0 {
			t.Errorf("moments: %+v", moments)
		}
		for _, file := range []string{"events.jsonl", "peers/0/events.jsonl", "peers/2/identity.key", "peers/2/checkpoints"} {
			if _, err := os.Stat(filepath.Join(p.Dir, file)); err != nil {
				t.Error(err)
			}
		}
		if last := lastLine(t, filepath.Join(p.Dir, "peers/1/events.jsonl")); last["ev"] != "run.end" {
			t.Errorf("the last event of a peer is %v", last)
		}
	})
}

func lastLine(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var fields map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// A killed peer comes back from its checkpoint; the others never stop, and the work of both its lives
// counts.
func TestKillAndRestart(t *testing.T) {
	t.Parallel()
	eachRuntime(t, func(t *testing.T, name testnet.RuntimeName, runtime testnet.Runtime) {
		for seconds := 4; ; seconds *= 2 { // a busy machine needs more time
			p := plan(t, "runtime="+string(name), fmt.Sprintf("train.stop.time=%ds", seconds), fmt.Sprintf(
				"schedule=[{at: 1s, do: slow, peers: 0, compute: 2x}, {at: %ds, do: kill, peers: 0, restart_after: 500ms}]",
				seconds/2))
			p.Dir = t.TempDir()
			r, err := runtime.Run(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			starts := startsIn(t, filepath.Join(p.Dir, "peers/0/events.jsonl"))
			if seconds < 60 && (len(starts) < 2 || starts[1] == 0) {
				continue
			}
			if len(starts) != 2 || starts[1] == 0 || r.Steps <= starts[1] || r.Accuracy < 0.3 {
				t.Errorf("peer 0 started at steps %v; result %+v", starts, r)
			}
			journal, err := os.ReadFile(filepath.Join(p.Dir, "events.jsonl"))
			if err != nil || strings.Count(string(journal), "perturb.begin") != 3 {
				t.Error("the journal does not tell three deeds", err)
			}
			return
		}
	})
}

// A peer that joins is not there before, and one that leaves says goodbye.
func TestJoinAndLeave(t *testing.T) {
	t.Parallel()
	eachRuntime(t, func(t *testing.T, name testnet.RuntimeName, runtime testnet.Runtime) {
		for seconds := 4; ; seconds *= 2 { // a busy machine needs more time
			p := plan(t, "runtime="+string(name), fmt.Sprintf("train.stop.time=%ds", seconds),
				"schedule=[{at: 500ms, do: join, peers: 0}, {at: 1s, do: leave, peers: 1}]")
			p.Dir = t.TempDir()
			r, err := runtime.Run(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			joined := filepath.Join(p.Dir, "peers/0/events.jsonl")
			if _, err := os.Stat(joined); err != nil && seconds < 60 {
				continue
			}
			last := lastLine(t, filepath.Join(p.Dir, "peers/1/events.jsonl"))
			if seconds < 60 && (last["ev"] != "run.end" || lastLine(t, joined)["steps"] == 0.0) {
				continue
			}
			if starts := startsIn(t, joined); len(starts) != 1 || last["ev"] != "run.end" || last["reason"] == "killed" {
				t.Errorf("peer 0 started %d times, the last event of peer 1 is %v", len(starts), last)
			}
			if r.Peers != 3 || r.Steps == 0 || r.InfluenceMin <= 0 {
				t.Errorf("result %+v", r)
			}
			return
		}
	})
}

// startsIn returns at which steps a peer started, by its log.
func startsIn(t *testing.T, path string) []uint64 {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var starts []uint64
	for line := range strings.Lines(string(text)) {
		var start struct {
			Event string `json:"ev"`
			Steps uint64 `json:"steps"`
		}
		if json.Unmarshal([]byte(line), &start) == nil && start.Event == "run.start" {
			starts = append(starts, start.Steps)
		}
	}
	return starts
}

func TestPause(t *testing.T) {
	t.Parallel()
	p := plan(t, "runtime=process", "train.stop.time=1500ms", "output.events=step",
		"schedule=[{at: 200ms, do: pause, peers: 0, for: 1s}]")
	p.Dir = t.TempDir()
	if _, err := (Processes{}).Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if gap := longestGap(t, filepath.Join(p.Dir, "peers/0/events.jsonl")); gap < 0.9 {
		t.Errorf("peer 0 was silent for %g s at most", gap)
	}
	if _, err := (InProcess{}).Run(t.Context(), p); err == nil || !strings.Contains(err.Error(), "use runtime: process") {
		t.Errorf("a host was paused: %v", err)
	}
	p.Actions = []testnet.Action{{Do: testnet.Partition, Side: 1}}
	for name, runtime := range reals {
		if _, err := runtime.Run(t.Context(), p); err == nil || !strings.Contains(err.Error(), "use runtime: virtual") {
			t.Errorf("%s was cut: %v", name, err)
		}
	}
}

// longestGap is the longest time between two events of a log, in seconds.
func longestGap(t *testing.T, path string) float64 {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var gap, before float64
	for line := range strings.Lines(string(text)) {
		var event struct {
			At float64 `json:"t"`
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err)
		}
		gap, before = max(gap, event.At-before), event.At
	}
	return gap
}

// Steps end a run as time does.
func TestSteps(t *testing.T) {
	t.Parallel()
	eachRuntime(t, func(t *testing.T, name testnet.RuntimeName, runtime testnet.Runtime) {
		r, err := runtime.Run(t.Context(), plan(t, "runtime="+string(name), "train.stop={time: 1m, steps: 30}"))
		if err != nil || r.Time >= 60 || r.Steps < 30 {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

// Orders are carried out while the network runs.
func TestOrders(t *testing.T) {
	t.Parallel()
	p := plan(t, "runtime=inproc")
	orders := make(chan testnet.Action, 2)
	orders <- testnet.Action{Do: testnet.Kill, Peer: 1}
	orders <- testnet.Action{Do: testnet.Slow, Peer: 0, Factor: 5}
	p.Orders, p.Dir = orders, t.TempDir()
	if _, err := (InProcess{}).Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if last := lastLine(t, filepath.Join(p.Dir, "peers/1/events.jsonl")); last["reason"] != "killed" {
		t.Errorf("the last event of peer 1 is %v", last)
	}
}

// Nothing is left behind: no process, no folder.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for name, runtime := range reals {
		ctx, cancel := context.WithCancel(t.Context())
		p := plan(t, "runtime="+string(name), "train.stop.time=1m")
		p.Watch = func(testnet.Moment) { cancel() }
		if _, err := runtime.Run(ctx, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s left behind: %v %v", name, left, err)
		}
		cancel()
	}
}

func TestLeadGrowsWithThePeers(t *testing.T) {
	t.Parallel()
	few, many := &testnet.Plan{Members: make([]testnet.Member, 2)}, &testnet.Plan{Members: make([]testnet.Member, 200)}
	if few, many := leadOf(few, time.Second), leadOf(many, time.Second); few < time.Second/2 || many < 10*few {
		t.Errorf("leads %v and %v", few, many)
	}
}
