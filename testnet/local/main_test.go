package local

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/testnet"
)

// TestMain lets the test binary be other programs: one that runs a peer, and one that starts children.
func TestMain(m *testing.M) {
	roles := map[string]func() error{"up": up, "parent": parent}
	if role := roles[os.Args[min(1, len(os.Args)-1)]]; len(os.Args) == 4 && role != nil {
		if err := role(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// up is what starling up does.
func up() error {
	files, err := settings.Open(os.Args[3])
	if err != nil {
		return err
	}
	c, _, err := node.Load(settings.Sources{Files: files})
	if err != nil {
		return err
	}
	n, err := node.Open(c, node.Options{})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	_, err = n.Run(ctx)
	return err
}

// plan is one run of a small network of three peers, the last of them slow.
func plan(t *testing.T, set ...string) *testnet.Plan {
	t.Helper()
	const text = `
version: 1
name: small
seed: 7
peers:
  count: 3
  defaults: {compute: {step: 10ms, jitter: 10%}}
  groups: [{name: slow, select: 2, compute: {step: 3x}, data: {only_classes: [7]}}]
topology: {graph: full}
train:
  lr: 0.5
  stop: {time: 1s, target: {metric: eval/accuracy, at_least: 0.3}}
output: {keep: none}
`
	l, err := testnet.Load(settings.Sources{
		Files: []settings.File{{Name: "small.yaml", Text: []byte(text)}}, Set: set,
	})
	if err != nil {
		t.Fatal(err)
	}
	plans, err := l.Plans()
	if err != nil {
		t.Fatal(err)
	}
	return plans[0]
}
