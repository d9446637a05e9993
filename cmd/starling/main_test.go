package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"starling": main})
}

// TestScripts runs testdata/*.txtar: what people type, and what is printed.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata", UpdateScripts: *update, RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			return nil
		},
	})
}

// exits runs a command that must end with an exit code: exits 2 starling testnet run bad.yaml.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		ended, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		code = ended.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// start runs the program and waits for a line on stderr that begins with a word.
func start(t *testing.T, word string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	program, err := exec.LookPath("starling") // installed by TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.Dir = t.TempDir()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), word) {
			go func() {
				for lines.Scan() { // so that the program does not block
				}
			}()
			return cmd, &out
		}
	}
	t.Fatalf("starling %s ended without a line %q", strings.Join(args, " "), word)
	return nil, nil
}

func TestInterruptedRunExitsWith130(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "long.yaml")
	text := strings.ReplaceAll(testnetTemplate, "time: 20s", "time: 10h")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, _ := start(t, "NAME", "testnet", "run", name)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("got %v", err)
	}
}

func TestInterruptedAgentLeavesInGoodOrder(t *testing.T) {
	t.Parallel()
	t.Run("interrupt", func(t *testing.T) { leavesInGoodOrder(t, os.Interrupt) })
	t.Run("its terminal is closed", func(t *testing.T) { leavesInGoodOrder(t, syscall.SIGHUP) })
}

func leavesInGoodOrder(t *testing.T, signal os.Signal) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.yaml")
	in := agentInit{file: name}
	if err := os.WriteFile(name, []byte(in.text("run", "a")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, out := start(t, "recipe", "up", "-f", name, "--json",
		"--http", "", "--listen", "/ip4/127.0.0.1/tcp/0", "--set", "network.discovery.mdns=false")
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	var result struct{ Reason string }
	if err := json.Unmarshal(out.Bytes(), &result); err != nil || result.Reason != "stopped" {
		t.Errorf("got %s, %v", out, err)
	}
}
