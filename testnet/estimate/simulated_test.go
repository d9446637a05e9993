package estimate

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/testnet"
)

// planOf is the only plan of a manifest.
func planOf(t *testing.T, text string) *testnet.Plan {
	t.Helper()
	plans, err := loaded(t, text).Plans()
	if err != nil {
		t.Fatal(err)
	}
	return plans[0]
}

func loaded(t *testing.T, text string, set ...string) *testnet.Loaded {
	t.Helper()
	l, err := testnet.Load(settings.Sources{Files: []settings.File{{Name: "m.yaml", Text: []byte(text)}}, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// manifestOf is a manifest of equal peers.
func manifestOf(c simulated, law string) string {
	var kind string
	var peers int
	if _, err := fmt.Sscan(c.graph, &kind, &peers); err != nil {
		panic(err)
	}
	link := "latency: 0s"
	if c.up != "" {
		link = "latency: 1ms, up: " + c.up
	}
	return fmt.Sprintf(`version: 1
name: estimates
seed: 7
peers:
  count: %d
  defaults:
    compute: {step: 20ms, %s}
    link: {%s}
%s
topology: {graph: %s}
train:
  task: {dataset: digits, model: softmax, batch: 1}
  lr: 0.01
  recipe: %s
%s
  stop: {time: %s}
output: {keep: none, events: none}
`, peers, law, link, c.groups, kind, c.recipe, c.options, cmp.Or(c.time, "20s"))
}

// laws are the columns of the table.
var laws = []struct{ name, text string }{
	{"constant", "law: constant, jitter: 10%"},
	{"exponential", "law: exponential"},
	{"occasional", "law: occasional, probability: 10%, times: 10x, jitter: 10%"},
	{"trace", "law: trace"},
}

// simulated is a row of the table: a network that is estimated and simulated.
type simulated struct {
	recipe, graph, up string
	options           string // further keys of train
	groups            string // further keys of peers
	time              string // simulated; empty: 20s
}

var table = []simulated{
	{recipe: "dpsgd", graph: "ring 4"},
	{recipe: "dpsgd", graph: "ring 8", up: "1Mbit/s"},
	{recipe: "dpsgd", graph: "exponential 16", up: "8Mbit/s"},
	{recipe: "dpsgd", graph: "random-regular 32"},
	{recipe: "dpsgd", graph: "random-regular 32", up: "2Mbit/s"},
	{recipe: "dpsgd", graph: "full 8", up: "8Mbit/s"},
	{recipe: "dpsgd", graph: "torus 16", options: "  local_steps: 4", up: "8Mbit/s"},
	{recipe: "dpsgd", graph: "torus 16", options: "  codec: {kind: int8}", up: "1Mbit/s"},
	{recipe: "d2", graph: "random-regular 16", up: "8Mbit/s"},
	{recipe: "gt", graph: "random-regular 16", up: "8Mbit/s"},
	{recipe: "barrier", graph: "ring 8", up: "1Mbit/s"},
	{recipe: "barrier", graph: "random-regular 32", up: "8Mbit/s"},
	{recipe: "quorum", graph: "ring 8"},
	{recipe: "quorum", graph: "exponential 16", up: "8Mbit/s"},
	{recipe: "quorum", graph: "random-regular 32", up: "1Mbit/s"},
	{recipe: "pulse", graph: "ring 8"},
	{recipe: "pulse", graph: "exponential 16", up: "8Mbit/s"},
	{recipe: "pulse", graph: "random-regular 32", up: "1Mbit/s"},
	{recipe: "auto", graph: "ring 8"},
	{recipe: "auto", graph: "exponential 16", up: "8Mbit/s"},
	{recipe: "auto", graph: "random-regular 32", up: "1Mbit/s"},
	{recipe: "local", graph: "exponential 16", up: "8Mbit/s", time: "80s"},
	{recipe: "choco", graph: "exponential 16", up: "1Mbit/s"},
	{recipe: "swift", graph: "ring 8", up: "1Mbit/s"},
	{recipe: "dasgd", graph: "ring 8", up: "1Mbit/s"},
	{recipe: "adpsgd", graph: "ring 8", up: "1Mbit/s"},
	{recipe: "noloco", graph: "ring 8", up: "1Mbit/s", time: "80s"},
	{recipe: "sgp", graph: "ring 8", up: "1Mbit/s"},
	{recipe: "budget", graph: "ring 8", up: "8Mbit/s", time: "80s"},
	{recipe: "backup", graph: "full 8"},
	{recipe: "backup", graph: "full 8", options: "  late: abort"},
	{recipe: "backup", graph: "full 16"},
	{
		recipe: "dpsgd", graph: "ring 8", up: "8Mbit/s",
		groups: "  groups: [{name: slow, select: 3, compute: {step: 10x}}]",
		time:   "400s",
	},
	{
		recipe: "quorum", graph: "torus 16", up: "8Mbit/s",
		groups: "  groups: [{name: slow, select: 0-3, compute: {step: 4x}}]",
	},
	{
		recipe: "auto", graph: "torus 16", up: "8Mbit/s",
		groups: "  groups: [{name: slow, select: 0-3, compute: {step: 4x}}]",
	},
	{
		recipe: "pulse", graph: "torus 16", up: "8Mbit/s",
		groups: "  groups: [{name: slow, select: 0-3, compute: {step: 4x}}]",
	},
}

func (c simulated) label() string {
	up := c.up
	if up == "" {
		up = "no limit"
	}
	text := fmt.Sprintf("| `%s`", c.recipe)
	if c.options != "" {
		text += " " + strings.NewReplacer("  ", "", "{kind: ", "", "}", "").Replace(c.options)
	}
	if c.groups != "" {
		_, slow, _ := strings.Cut(c.groups, "select: ")
		peers, _, _ := strings.Cut(slow, ",")
		_, factor, _ := strings.Cut(slow, "step: ")
		factor, _, _ = strings.Cut(factor, "}")
		text += ", peers " + peers + " " + factor + " slower"
	}
	return text + fmt.Sprintf(" | %s | %s |", c.graph, up)
}

// tolerance is how far an estimate may be from the simulator.
const tolerance = 0.15

// Estimates of the time of a round over simulated ones. The table is that of docs/ESTIMATE.md.
func TestEstimatesHoldAgainstTheSimulator(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("more than a hundred networks are simulated; run it without -short and -race")
	}
	ratios := make([][]float64, len(table))
	t.Run("rows", func(t *testing.T) {
		for i, c := range table {
			ratios[i] = make([]float64, len(laws))
			t.Run(c.recipe, func(t *testing.T) {
				t.Parallel()
				for j, law := range laws {
					ratios[i][j] = c.ratio(t, law.text)
				}
			})
		}
	})
	text := "| recipe | graph, peers | uplinks |"
	for _, law := range laws {
		text += " " + law.name + " |"
	}
	text += "\n|---|---|---|---|---|---|---|\n"
	for i, c := range table {
		text += c.label()
		for _, r := range ratios[i] {
			text += fmt.Sprintf(" %.2f |", r)
		}
		text += "\n"
	}
	t.Log("\n" + text)
	page, err := os.ReadFile("../../docs/ESTIMATE.md")
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOARCH == "amd64" && !strings.Contains(string(page), text) {
		t.Error("docs/ESTIMATE.md has another table: copy this one")
	}
}

func (c simulated) ratio(t *testing.T, law string) float64 {
	t.Helper()
	plan := planOf(t, manifestOf(c, law))
	run, err := testnet.Virtual{}.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Of(plan)
	if err != nil {
		t.Fatal(err)
	}
	if parts := f.Compute + f.Waiting + f.Communication; math.Abs(parts-f.Round) > 1e-9 {
		t.Errorf("%v under %s: the parts of a round of %g s add up to %g s", c, law, f.Round, parts)
	}
	for what, r := range map[string]float64{"round": f.Round / run.RoundTime, "gradients": f.Gradients / run.StepRate} {
		if math.Abs(r-1) > tolerance {
			t.Errorf("%s under %s: %s estimated %.3f times as simulated", c.label(), law, what, r)
		}
	}
	return f.Round / run.RoundTime
}
