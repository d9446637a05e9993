package node

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/starling-ml/starling/internal/settings"
)

// agentFile is the configuration of one of a few agents on loopback that train the digits.
func agentFile(dir, name string, peers ...string) settings.File {
	return settings.File{Name: name + ".yaml", Text: fmt.Appendf(nil, `
version: 1
run: test
name: %s
identity: {key_file: %s}
network:
  listen: [/ip4/127.0.0.1/tcp/0]
  peers: [%s]
  discovery: {mdns: false}
  dead_after: 2s
train:
  recipe: quorum
  eval_every: 0
checkpoint: {dir: %s, every: 100ms}
worker: {compute: {step: 2ms}}
observe: {http: "127.0.0.1:0", events: {file: %s, level: step}}
`, name, filepath.Join(dir, "identity.key"), strings.Join(peers, ", "), filepath.Join(dir, "ckpt"),
		filepath.Join(dir, "events.jsonl"))}
}

func agent(t *testing.T, name string, peers ...string) *Config {
	t.Helper()
	c, _, err := Load(settings.Sources{Files: []settings.File{agentFile(t.TempDir(), name, peers...)}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func open(t *testing.T, c *Config) *Node {
	t.Helper()
	n, err := Open(c, Options{Version: "test", Minimal: true, Say: func(format string, args ...any) {
		t.Logf(c.Name+": "+format, args...)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// running is a node at work.
type running struct {
	*Node
	kill   context.CancelCauseFunc
	done   chan struct{}
	result Result
	err    error
}

func start(n *Node) *running {
	ctx, kill := context.WithCancelCause(context.Background())
	r := &running{Node: n, kill: kill, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.result, r.err = n.Run(ctx)
	}()
	return r
}

func (r *running) stop(t *testing.T) Result {
	t.Helper()
	r.kill(nil)
	<-r.done
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r.result
}

// eventually waits for a condition; a test that never meets it ends by the deadline of go test.
func eventually(t *testing.T, what string, met func() bool) {
	t.Helper()
	deadline, ok := t.Deadline()
	for !met() {
		if ok && time.Until(deadline) < 5*time.Second {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestThreePeersLearnTogetherAndOneComesBack(t *testing.T) {
	t.Parallel()
	a := start(open(t, agent(t, "a")))
	b := start(open(t, agent(t, "b", a.Addrs()...)))
	configC := agent(t, "c", a.Addrs()...)
	c := start(open(t, configC))
	for _, r := range []*running{a, b, c} {
		eventually(t, "two neighbours", func() bool { return len(r.mesh.Stats().Neighbours) == 2 })
		eventually(t, "steps", func() bool { return r.Estimate().Steps > 200 })
	}
	saved := c.stop(t)
	before := a.Estimate().Steps
	eventually(t, "the others go on", func() bool { return a.Estimate().Steps > before+20 })

	again := open(t, configC)
	if got := again.Estimate(); got.Steps != saved.Steps || got.Round != saved.Round {
		t.Errorf("resumed at step %d, round %d, stopped at %d, %d", got.Steps, got.Round, saved.Steps, saved.Round)
	}
	c = start(again)
	eventually(t, "c has neighbours again", func() bool { return len(c.mesh.Stats().Neighbours) == 2 })
	eventually(t, "c trains again", func() bool { return c.Estimate().Steps > saved.Steps+50 })
	for _, r := range []*running{a, b, c} {
		if score := r.stop(t).Score; score.Accuracy < 0.9 {
			t.Errorf("accuracy of %s is %.3f, want 0.9", r.config.Name, score.Accuracy)
		}
	}
}
