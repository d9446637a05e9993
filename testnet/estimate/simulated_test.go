package estimate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/testnet"
)

const base = `version: 1
name: estimates
seed: 7
peers:
  count: %d
  defaults:
    compute: {step: 20ms, %s}
    link: {latency: %s, up: %s}
topology: {graph: %s}
train:
  task: {dataset: digits, model: softmax, batch: 1}
  lr: 0.01
  recipe: %s
  stop: {time: %s}
output: {keep: none, events: none}
`

func planOf(t *testing.T, text string) *testnet.Plan {
	t.Helper()
	loaded, err := testnet.Load(settings.Sources{Files: []settings.File{{Name: "m.yaml", Text: []byte(text)}}})
	if err != nil {
		t.Fatal(err)
	}
	plans, err := loaded.Plans()
	if err != nil {
		t.Fatal(err)
	}
	return plans[0]
}

func TestExplore(t *testing.T) {
	fns := map[string]func(*network) rounds{"dpsgd": inStep, "barrier": barrier, "quorum": quorate, "swift": free, "pulse": quorate, "backup": fewest}
	for _, recipe := range []string{"pulse", "backup"} {
		for _, law := range []string{"law: constant, jitter: 10%", "law: exponential", "law: occasional, probability: 10%, times: 10x, jitter: 10%", "law: trace"} {
			fmt.Printf("%-20s %-18s", recipe, law[5:min(len(law), 20)])
			for _, g := range []string{"ring 8", "exponential 8", "exponential 16", "ring 32", "full 8"} {
				var kind string
				var n int
				fmt.Sscan(g, &kind, &n)
				for _, up := range []string{"0bit/s", "8Mbit/s", "1Mbit/s"} {
					latency := "1ms"
					if up == "0bit/s" {
						latency = "0s"
					}
					text := fmt.Sprintf(base, n, law, latency, up, kind, strings.ReplaceAll(recipe, ", ", "\n  "), "20s")
					plan := planOf(t, text)
					res, err := testnet.Virtual{}.Run(context.Background(), plan)
					if err != nil {
						t.Fatal(err)
					}
					nw, err := networkOf(plan)
					if err != nil {
						t.Fatal(err)
					}
					est := fns[recipe](nw)[0]
					fmt.Printf(" %4.0f %+4.0f%%", res.RoundTime*1000, 100*(est/res.RoundTime-1))
				}
				fmt.Print(" |")
			}
			fmt.Println()
		}
	}
}
