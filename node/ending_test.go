package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/node/checkpoint"
)

// said is what a node said, line by line.
type said struct {
	mu    sync.Mutex
	lines []string
}

func (s *said) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *said) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}

// alone is an agent that knows nobody and takes steps as fast as it can.
func alone(t *testing.T) *Config {
	c := agent(t, "alone")
	c.Worker.Compute = settings.Compute{}
	return c
}

// lone runs such an agent to its end.
func lone(t *testing.T, c *Config) (Result, string, error) {
	t.Helper()
	var s said
	n, err := Open(c, Options{Minimal: true, Say: s.say})
	if err != nil {
		t.Fatal(err)
	}
	r := start(n)
	<-r.done
	return r.result, s.text(), r.err
}

func TestARunEndsAtItsNumberOfSteps(t *testing.T) {
	c := alone(t)
	c.Train.Stop.Steps = 30
	result, text, err := lone(t, c)
	if err != nil || result.Reason != "steps" || result.Steps < 30 || result.Score == nil {
		t.Errorf("ended with %+v, %v", result, err)
	}
	if !strings.Contains(text, "done       steps at step") {
		t.Errorf("it said\n%s", text)
	}
	for _, ev := range []string{"run.start", "step", "eval", "checkpoint", "run.end"} {
		if events(t, c)[ev] == 0 {
			t.Errorf("the event log has no %s", ev)
		}
	}
}

// events counts the kinds of events in an agent's log and checks that none is missing.
func events(t *testing.T, c *Config) map[string]int {
	t.Helper()
	text, err := os.ReadFile(string(c.Observe.Events.File))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	seq := 0
	for line := range strings.Lines(string(text)) {
		var e struct {
			Seq int
			Ev  string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if seq++; e.Seq != seq {
			t.Fatalf("line %d follows line %d", e.Seq, seq-1)
		}
		kinds[e.Ev]++
	}
	return kinds
}

func TestARunEndsAtItsTarget(t *testing.T) {
	c := alone(t)
	c.Train.EvalEvery = settings.Duration(time.Nanosecond)
	half := 0.5
	c.Train.Stop.Target = &settings.Target{Metric: "eval/accuracy", AtLeast: &half}
	result, text, err := lone(t, c)
	if err != nil || result.Reason != "target" {
		t.Errorf("ended with %+v, %v", result, err)
	}
	if !strings.Contains(text, "eval       step") {
		t.Errorf("it said\n%s", text)
	}
}

func TestTheClockOfARunStartsAtItsInstant(t *testing.T) {
	begin := time.Now().Add(300 * time.Millisecond)
	c := alone(t)
	c.Train.Stop.Steps = 5
	c.Testnet = &Testnet{StartAt: begin.Format(time.RFC3339Nano)}
	n, err := Open(c, Options{Minimal: true, Tape: func(_ consensus.Time, ev consensus.Event) {
		if time.Now().Before(begin) {
			t.Errorf("%s came before the start", ev)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := start(n)
	if <-r.done; r.err != nil || r.result.Steps < 5 {
		t.Errorf("ended with %+v, %v", r.result, r.err)
	}

	c = alone(t)
	c.Train.Stop.Time = settings.Duration(time.Hour)
	c.Testnet = &Testnet{StartAt: time.Now().Add(-2 * time.Hour).Format(time.RFC3339Nano)}
	if result, _, err := lone(t, c); err != nil || result.Reason != "time" {
		t.Errorf("a run that was over when it began ended with %+v, %v", result, err)
	}
}

// diverge makes every step blow the parameters up by 8 orders of magnitude.
func diverge(c *Config) { c.Train.LR, c.Train.WeightDecay = 1e5, 1e3 }

func TestAPeerThatDivergesStopsAndSaysSo(t *testing.T) {
	c := alone(t)
	diverge(c)
	result, text, err := lone(t, c)
	if !errors.Is(err, ErrDiverged) || result.Reason != "diverged" || result.Score != nil {
		t.Errorf("ended with %+v, %v", result, err)
	}
	if !strings.Contains(text, "; this peer stopped publishing so that it does not spread") {
		t.Errorf("it said\n%s", text)
	}
	if strings.Contains(text, "checkpoint step") {
		t.Errorf("a diverged estimate was saved:\n%s", text)
	}
}

func TestTrainingGoesOnWithoutADisk(t *testing.T) {
	c := alone(t)
	var s said
	n, err := Open(c, Options{Minimal: true, Say: s.say})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(string(c.Checkpoint.Dir)); err != nil {
		t.Fatal(err)
	}
	r := start(n)
	eventually(t, "a failed checkpoint", func() bool { return strings.Contains(s.text(), "checkpoint failed: ") })
	before := r.Estimate().Steps
	eventually(t, "training goes on", func() bool { return r.Estimate().Steps > before+10 })
	r.kill(nil)
	if <-r.done; !errors.Is(r.err, ErrStorage) {
		t.Errorf("ended with %v", r.err)
	}
	if strings.Contains(s.text(), "failed: checkpoint failed") || !strings.Contains(s.text(), "training goes on") {
		t.Errorf("it said\n%s", s.text())
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	first := open(t, alone(t))
	t.Cleanup(first.Close)
	tcp, _, _ := strings.Cut(first.Addrs()[0], "/p2p/")
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   []string
	}{
		{"a port in use", func(c *Config) { c.Network.Listen = []string{tcp} }, []string{
			tcp, "in use", "--listen",
		}},
		{"an http port in use", func(c *Config) { c.Observe.HTTP = first.HTTP() }, []string{
			"observe.http", "choose another port",
		}},
		{"no password", func(c *Config) { c.Observe.HTTP = "0.0.0.0:0" }, []string{"observe.password_file"}},
		{"a folder in a file", func(c *Config) { c.Checkpoint.Dir = c.Identity.KeyFile }, []string{"checkpoint.dir"}},
		{"a folder in use", func(c *Config) { c.Checkpoint.Dir = first.config.Checkpoint.Dir }, []string{
			"another agent", "checkpoint.dir",
		}},
		{"an identity in use", func(c *Config) { c.Identity.KeyFile = first.config.Identity.KeyFile }, []string{
			"another agent", "identity.key_file",
		}},
		{"a log in a file", func(c *Config) { c.Observe.Events.File = c.Identity.KeyFile + "/events" }, []string{
			"open event log",
		}},
		{"no data", func(c *Config) { c.Train.Task.Dataset = "/nowhere/data.csv" }, []string{"/nowhere/data.csv"}},
		{"members without me", func(c *Config) {
			c.Topology.Members = []string{string(first.ID())}
		}, []string{"topology.members does not list this peer", "add it"}},
	} {
		config := alone(t)
		c.change(config)
		n, err := Open(config, Options{Minimal: true})
		if err == nil {
			n.Close()
			t.Errorf("%s is no error", c.name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", c.name, err, want)
			}
		}
	}
}

func TestCheckpointsOfOthersAreRefusedAndCanBePutAside(t *testing.T) {
	c := alone(t)
	c.Train.Stop.Steps = 10
	lone(t, c)
	c.Run = "other"
	if n, err := Open(c, Options{Minimal: true}); !errors.Is(err, checkpoint.ErrForeign) {
		t.Fatalf("another run: %v, %v", n, err)
	}
	c.Checkpoint.Fresh = true
	n, err := Open(c, Options{Minimal: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	if steps := n.Estimate().Steps; steps != 0 {
		t.Errorf("a fresh start is at step %d", steps)
	}
	if aside, err := filepath.Glob(filepath.Join(string(c.Checkpoint.Dir), "aside-*")); len(aside) == 0 || err != nil {
		t.Errorf("nothing was put aside (%v)", err)
	}
}

func TestADamagedCheckpointIsNamed(t *testing.T) {
	c := alone(t)
	c.Checkpoint.Every = settings.Duration(time.Millisecond)
	c.Train.Stop.Steps = 40
	result, _, _ := lone(t, c)
	newest, err := filepath.Glob(filepath.Join(string(c.Checkpoint.Dir), "ckpt-*"))
	if err != nil || len(newest) < 2 {
		t.Fatalf("checkpoints are %v (%v)", newest, err)
	}
	damaged := newest[len(newest)-1]
	if err := os.Truncate(filepath.Join(damaged, modelFile), 100); err != nil {
		t.Fatal(err)
	}
	var s said
	n, err := Open(c, Options{Minimal: true, Say: s.say})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	if steps := n.Estimate().Steps; steps == 0 || steps >= result.Steps {
		t.Errorf("resumed at step %d of %d", steps, result.Steps)
	}
	want := "checkpoint " + filepath.Base(damaged) + " was skipped: model.safetensors has 100 bytes"
	if !strings.Contains(s.text(), want) {
		t.Errorf("it said\n%s", s.text())
	}
}

func TestATestnetSlowsAPeerOverHTTP(t *testing.T) {
	c := agent(t, "slow")
	c.Testnet = &Testnet{Control: true}
	n := open(t, c)
	t.Cleanup(n.Close)
	for query, want := range map[string]int{
		"?factor=10": http.StatusNoContent, "?factor=ten": http.StatusBadRequest, "": http.StatusBadRequest,
	} {
		response, err := http.Post("http://"+n.HTTP()+ComputePath+query, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%q: %s", query, response.Status)
		}
	}
	if next := n.clock.Next(); next != 20*time.Millisecond {
		t.Errorf("a step of 2 ms that is ten times slower takes %s", next)
	}
	plain := open(t, alone(t))
	t.Cleanup(plain.Close)
	if err := plain.Slow(2); err == nil || !strings.Contains(err.Error(), "worker.compute.step") {
		t.Errorf("slowing a peer without a pace: %v", err)
	}
	response, err := http.Post("http://"+plain.HTTP()+ComputePath+"?factor=1", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if response.Body.Close(); response.StatusCode != http.StatusNotFound {
		t.Errorf("an agent outside of testnets can be slowed: %s", response.Status)
	}
}
