package node

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/starling-ml/starling/internal/settings"
)

// childVariable tells the test binary to run a node from a folder instead of the tests.
const childVariable = "STARLING_TEST_NODE"

func TestMain(m *testing.M) {
	if given := os.Getenv(childVariable); given != "" {
		dir, peers, _ := strings.Cut(given, " ")
		child(dir, strings.Fields(peers)...)
		return
	}
	goleak.VerifyTestMain(m)
}

// child runs a node until it is killed.
func child(dir string, peers ...string) {
	c, _, err := Load(settings.Sources{Files: []settings.File{agentFile(dir, "child", peers...)}})
	if err == nil {
		var n *Node
		say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
		if n, err = Open(c, Options{Minimal: true, Say: say}); err == nil {
			_, err = n.Run(context.Background())
		}
	}
	fmt.Println("ended", err)
}

// process is a node in a process of its own.
type process struct {
	cmd   *exec.Cmd
	lines chan string
}

func launch(t *testing.T, dir string, peers []string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0]), lines: make(chan string, 1000)}
	p.cmd.Env = append(os.Environ(), childVariable+"="+dir+" "+strings.Join(peers, " "))
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.read(out)
	t.Cleanup(func() { p.kill() })
	return p
}

func (p *process) read(out io.Reader) {
	defer close(p.lines)
	for in := bufio.NewScanner(out); in.Scan(); {
		p.lines <- in.Text()
	}
}

// kill ends the process as a power cut would.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may be dead
	_ = p.cmd.Wait()         // it was killed, which is an error
}

// await returns the first line that begins with a word.
func (p *process) await(t *testing.T, word string) string {
	t.Helper()
	for line := range p.lines {
		t.Log("child: " + line)
		if strings.HasPrefix(line, word) {
			return line
		}
	}
	t.Fatalf("the process ended without a line %q", word)
	return ""
}

func TestAKilledProcessResumesWhileTheOthersGoOn(t *testing.T) {
	t.Parallel()
	a := start(open(t, agent(t, "a")))
	b := start(open(t, agent(t, "b", a.Addrs()...)))
	dir := t.TempDir()
	first := launch(t, dir, a.Addrs())
	first.await(t, "joined")
	saved := func() bool {
		found, err := filepath.Glob(filepath.Join(dir, "ckpt", "ckpt-*"))
		return err == nil && len(found) > 0
	}
	eventually(t, "a checkpoint", saved)
	first.kill()
	before := [2]uint64{a.Estimate().Steps, b.Estimate().Steps}
	eventually(t, "the others go on", func() bool {
		return a.Estimate().Steps > before[0]+20 && b.Estimate().Steps > before[1]+20
	})

	second := launch(t, dir, a.Addrs())
	resumed := second.await(t, "resumed")
	var name string
	var step, round uint64
	if _, err := fmt.Sscanf(resumed, "resumed %s at step %d, round %d", &name, &step, &round); err != nil || step == 0 {
		t.Errorf("%q: %v", resumed, err)
	}
	second.await(t, "joined")
	for _, r := range []*running{a, b} {
		r.stop(t)
	}
}
