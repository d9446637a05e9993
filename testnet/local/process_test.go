package local

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/node"
)

// A peer that cannot start ends the run, and its last words are told.
func TestChildThatDiesAtTheStart(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "broken")
	script := "#!/bin/sh\necho cannot listen: in use >&2\nexit 5\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil { //nolint:gosec // it must be run
		t.Fatal(err)
	}
	_, err := Processes{Program: program}.Run(t.Context(), plan(t, "runtime=process"))
	if err == nil {
		t.Fatal("nobody noticed")
	}
	for _, want := range []string{"peer ", "exit status 5", "cannot listen: in use"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	if _, err := (Processes{Program: "/nowhere"}).Run(t.Context(), plan(t, "runtime=process")); err == nil {
		t.Error("a program that does not exist was started")
	}
}

// Killing a child takes what it started along; one that has ended already is no error.
func TestKillTakesTheGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := startChild(dir, "/bin/sh", []string{"-c", "sleep 1000 & echo $! >pid; wait"})
	if err != nil {
		t.Fatal(err)
	}
	var pid string
	for pid == "" {
		text, _ := os.ReadFile(filepath.Join(dir, "pid")) // until it is there
		pid = strings.TrimSpace(string(text))
		time.Sleep(time.Millisecond)
	}
	if err := c.kill(); err != nil {
		t.Fatal(err)
	}
	for exec.Command("kill", "-0", pid).Run() == nil && !zombie(pid) {
		time.Sleep(time.Millisecond) // it dies in a moment; a test that hangs here has failed
	}
	if err := c.kill(); err != nil {
		t.Errorf("killing the dead: %v", err)
	}
	if err := c.ended(); err != nil {
		t.Errorf("a killed child counts as failed: %v", err)
	}
}

// zombie tells whether a process has ended and only waits for its parent to notice.
func zombie(pid string) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// Every peer's configuration survives being written, and says what the plan says.
func TestAgentsReadBackTheirConfiguration(t *testing.T) {
	t.Parallel()
	p := plan(t, "runtime=process", "train.recipe=quorum", "train.mix=fresh", "train.wait.quorum=1",
		"schedule=[{at: 100ms, do: kill, peers: 1, restart_after: 100ms}]",
		"peers.defaults.compute={step: 10ms, law: shifted, fixed: 0.5x, tail: 0.5x}")
	s, err := newSite(p, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	want := s.agent(2)
	var text strings.Builder
	if err := settings.Write(&text, want, node.DefaultConfig()); err != nil {
		t.Fatal(err)
	}
	got, _, err := node.Load(settings.Sources{Files: []settings.File{{Name: "agent.yaml", Text: []byte(text.String())}}})
	if err != nil {
		t.Fatal(err)
	}
	var again strings.Builder
	if err := settings.Write(&again, got, node.DefaultConfig()); err != nil {
		t.Fatal(err)
	}
	if text.String() != again.String() {
		t.Errorf("written %s\nread back %s", text.String(), again.String())
	}
	if got.Network.Discovery.MDNS || got.Train.EvalEvery != 0 || got.Checkpoint.Every.Std() != saveEvery {
		t.Errorf("defaults came back: %s", text.String())
	}
	if got.Worker.Compute.Step.Duration.Std() != 30*time.Millisecond || got.Train.Options().Quorum != 1 {
		t.Errorf("the peer of the plan is another: %s", text.String())
	}
	if len(got.Topology.Members) != 3 || len(got.Topology.Slow) != 1 || got.Topology.Slow[0] != string(s.ids[2]) {
		t.Errorf("topology %+v", got.Topology)
	}
}

func TestPorts(t *testing.T) {
	t.Parallel()
	a, err := freePorts(20)
	if err != nil {
		t.Fatal(err)
	}
	b, err := freePorts(20)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, port := range append(a, b...) {
		if seen[port] || port < lowPort || port >= lowPort+portSpan {
			t.Errorf("port %d", port)
		}
		seen[port] = true
	}
}

// A network that is not complete in time starts again with more time, and then gives up.
func TestLateNetworks(t *testing.T) {
	t.Parallel()
	tries := 0
	_, err := run(t.Context(), plan(t, "runtime=inproc"), time.Millisecond, func(s *site) (network, error) {
		tries++
		return lonely{len(s.ids)}, nil
	})
	if err == nil || tries != attempts || !strings.Contains(err.Error(), "not complete") {
		t.Errorf("%d tries, error %v", tries, err)
	}
}
