package testnet_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/testnet"
)

// small is a manifest that tests change with --set.
const small = `version: 1
name: small
seed: 42
peers:
  count: 8
  defaults:
    compute: {step: 40ms, jitter: 10%}
    link: {latency: 5ms}
  groups:
    - {name: homes, select: 4-7, link: {up: 10Mbit}}
    - {name: slow, select: "3, 5", compute: {step: 10x}, data: {only_classes: [7]}}
topology: {graph: ring}
train:
  recipe: quorum
  lr: 0.5
  stop: {time: 2s, target: {metric: eval/accuracy, at_least: 0.3}}
output: {keep: none}
`

func load(t *testing.T, text string, set ...string) (*testnet.Loaded, error) {
	t.Helper()
	file := settings.File{Name: "small.yaml", Text: []byte(text)}
	return testnet.Load(settings.Sources{Files: []settings.File{file}, Set: set})
}

func mustLoad(t *testing.T, text string, set ...string) *testnet.Loaded {
	t.Helper()
	l, err := load(t, text, set...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func plansOf(t *testing.T, text string, set ...string) []*testnet.Plan {
	t.Helper()
	plans, err := mustLoad(t, text, set...).Plans()
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

// also returns the key output of the small manifest with something before it.
func also(section string) string { return section + "\noutput:" }

// What is wrong with a manifest is told with its place, all at once.
func TestLoadReportsMistakes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ replace, with, want string }{
		"unknown key": {"name: small", "name: small\nsede: 1", `small.yaml:3:1: unknown key "sede"; did you`},
		"no time": {
			"time: 2s, ", "", "train.stop.time: missing; say how long the network runs, as in time: 60s",
		},
		"recipe":        {"recipe: quorum", "recipe: quorm", `train.recipe: "quorm" is not one of`},
		"selector":      {"select: 4-7", "select: 4-9", `small.yaml:10:29: peers.groups.homes.select: "4-9" is out`},
		"group by name": {`"3, 5"`, "hoes", `"hoes" names no peer`},
		"twice":         {"name: slow", "name: homes", `two groups are called "homes"`},
		"partition":     {"only_classes: [7]", "partition: shards", "the partition is of the whole run"},
		"no step":       {"step: 40ms, ", "step: 2x, ", "peers.defaults.compute.step: must be a time"},
		"law":           {"jitter: 10%", "jitter: 110%", "peers.defaults.compute: jitter 1.1 of a step time"},
		"graph":         {"ring}", "edges, edges: [[0, 9]]}", "topology"},
		"runtime": {
			"seed: 42", "seed: 42\nruntime: process", "runtime process has real links and real mixing",
		},
		"no peers":      {"count: 8", "count: 0", "peers.count: 0 must be at least 1"},
		"swept seeds":   {"output:", "sweep: {seeds: [1, 2]}\noutput:", "seeds cannot be swept"},
		"swept nothing": {"output:", "sweep: {train.lr: []}\noutput:", "train.lr has no values"},
		"swept typo": {
			"output:", also("sweep: {train.recipes: [pulse]}"),
			`unknown key "recipes"; did you mean "recipe"?`,
		},
		"swept value":     {"output:", also("sweep: {train.recipe: [pulse, plus]}"), `"plus" is not one of`},
		"metric":          {"output:", also("expect: [{metric: acuracy, at_least: 1}]"), `did you mean "accuracy"?`},
		"expects nothing": {"output:", also("expect: [{metric: loss}]"), "expects nothing; add at_least, at_most"},
		"expects a recipe": {
			"output:", also("expect: [{metric: loss, recipe: pulse, at_most: 1}]"), `is not one of quorum`,
		},
		"condition": {
			"output:", also("expect: [{metric: loss, when: slow, at_most: 1}]"), `"slow" is no condition`,
		},
		"deed": {"output:", also("schedule: [{at: 1s, do: kil, peers: 1}]"), `did you mean "kill"?`},
		"paused host": {
			"output:", also("runtime: inproc\nschedule: [{at: 1s, do: pause, peers: 1}]"), "runtime inproc cannot pause",
		},
		"target of a deed": {"output:", also("schedule: [{at: 1s, do: kill, peers: 8}]"), `peers: "8" is out of range`},
		"too late": {
			"output:", also("schedule: [{at: 3s, do: kill, peers: 1}]"), "after the end of the run at 2s",
		},
		"slow how": {
			"output:", also("schedule: [{at: 1s, do: slow, peers: 1}]"), "schedule.0.compute: missing",
		},
		"too slow": {
			"output:", also("schedule: [{at: 1s, do: slow, peers: 1, compute: 1e18x}]"), "is not from 0.001x to",
		},
		"too often": {
			"output:", also("schedule: [{every: 1ns, do: kill, peers: 1}]"), "1ns is more than 100000 times in 2s",
		},
		"for ever": {
			"output:", also("schedule: [{at: 1s, do: pause, peers: 1, for: 9999999m}]"), "0.for: 166666h39m is",
		},
		"too long": {"time: 2s", "time: 2562047h", "train.stop.time: 2562047h is longer than 8760h"},
		"jitter": {
			"latency: 5ms", "jitter: 2562047h", "peers.defaults.link.jitter: 2562047h is longer than 1h",
		},
		"no name":          {"name: small", `name: " "`, "name: empty; name the network"},
		"degree of a ring": {"ring}", "ring, degree: 3}", "topology.degree: the peers of graph ring have as many"},
		"rmse of classes": {
			"eval/accuracy, at_least: 0.3", "eval/rmse, at_most: 1", "classes have no rmse; use metric: eval/accuracy",
		},
		"accuracy of numbers": {
			"lr: 0.5", "lr: 0.5\n  task: {dataset: csv, path: x.csv, label: y, model: linear}",
			"a regression has no accuracy; use metric: eval/rmse",
		},
		"divided": {
			"lr: 0.5", "lr: 0.5\n  share: speed", "speed divides data that all peers have, and peers.groups.slow.data",
		},
		"uplink":      {"up: 10Mbit", "up: 0.0000001bit", "peers.groups.homes.link.up: "},
		"swept twice": {"output:", also("sweep: {train.lr: [0.1, 0.2, 0.1]}"), "train.lr has 0.1 twice"},
		"too many runs": {
			"output:", also("seeds: 10000\nsweep: {train.lr: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}"), "more than 100000 runs",
		},
		"swept condition": {
			"output:", also("expect: [{metric: loss, when: lr = 1, at_most: 1}]"), `no run has "lr = 1"; name`,
		},
	} {
		text := strings.Replace(small, c.replace, c.with, 1)
		if _, err := load(t, text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nexpected %s", name, err, c.want)
		}
	}
}

func TestPlanLaysGroupsOverDefaults(t *testing.T) {
	t.Parallel()
	plan := plansOf(t, small)[0]
	if len(plan.Members) != 8 || plan.Members[3].Name != "3" {
		t.Fatalf("members %v", plan.Members)
	}
	for i, m := range plan.Members {
		wantStep, wantUp, wantClasses := 40*time.Millisecond, 0.0, 0
		if i == 3 || i == 5 {
			wantStep, wantClasses = 400*time.Millisecond, 1
		}
		if i >= 4 {
			wantUp = 10e6 / 8
		}
		if m.Step() != wantStep || m.Compute.Jitter != 0.1 {
			t.Errorf("peer %d: step %v, jitter %g", i, m.Step(), m.Compute.Jitter)
		}
		if float64(m.Link.Up) != wantUp || m.Link.Latency.Std() != 5*time.Millisecond {
			t.Errorf("peer %d: link %+v", i, m.Link)
		}
		if len(m.Data.OnlyClasses) != wantClasses {
			t.Errorf("peer %d: classes %v", i, m.Data.OnlyClasses)
		}
	}
	if slow := plan.Slow(); !slow[3] || !slow[5] || slow[0] || slow[4] {
		t.Errorf("known to be slow: %v", slow)
	}
	if plan.Stop.Metric != "accuracy" || plan.Stop.Target != 0.3 || plan.Stop.Time != 2*time.Second {
		t.Errorf("stop %+v", plan.Stop)
	}
	if plan.Options.Recipe != "quorum" || plan.Options.Weights != consensus.InverseAge || plan.Task.LR != 0.5 {
		t.Errorf("options %+v, task %+v", plan.Options, plan.Task)
	}
}

func TestNamesSortLikeNumbers(t *testing.T) {
	t.Parallel()
	plan := plansOf(t, small, "peers.count=12")[0]
	names := make([]string, len(plan.Members))
	for i, m := range plan.Members {
		names[i] = m.Name
	}
	if names[2] != "02" || !slices.IsSorted(names) {
		t.Errorf("names %v", names)
	}
}

// Every combination of the sweep runs with every seed; keys may reach into groups.
func TestSweep(t *testing.T) {
	t.Parallel()
	text := small + "sweep:\n  peers.groups.slow.compute.step: [1x, 5x]\n  train.recipe: [dpsgd, pulse]\nseeds: 3\n"
	plans := plansOf(t, text)
	if len(plans) != 12 {
		t.Fatalf("%d plans", len(plans))
	}
	var labels []string
	for _, p := range plans {
		labels = append(labels, p.Label)
		factor := map[string]float64{"1x": 1, "5x": 5}[p.Sweep["peers.groups.slow.compute.step"]]
		if p.Members[3].Compute.Factor != factor || p.Members[0].Compute.Factor != 1 {
			t.Errorf("%s: peer 3 is %g times slower", p.Label, p.Members[3].Compute.Factor)
		}
		if p.Sweep["train.recipe"] != "" {
			t.Errorf("%s: the recipe is among the swept values", p.Label)
		}
	}
	if labels[0] != "dpsgd-step=1x-42" || labels[11] != "pulse-step=5x-44" {
		t.Errorf("labels %v", labels)
	}
	slices.Sort(labels)
	if len(slices.Compact(labels)) != 12 {
		t.Errorf("labels are not unique: %v", labels)
	}
}

// The graph is drawn from the seed of the manifest, unless it has one of its own.
func TestTopologySeed(t *testing.T) {
	t.Parallel()
	edges := func(set ...string) any {
		p := plansOf(t, small, append(set, "topology.graph=random-regular", "topology.degree=3")...)
		return p[0].Graph.Edges()[5]
	}
	same := edges("seed=1") == edges("seed=1", "seeds=2")
	moved := edges("seed=1") != edges("seed=2") || edges("seed=1") != edges("seed=3")
	if !same || !moved || edges("seed=1", "topology.seed=5") != edges("seed=2", "topology.seed=5") {
		t.Error("the graph does not follow the seed")
	}
}

func TestEffectiveManifestLoads(t *testing.T) {
	t.Parallel()
	text := small + "sweep: {train.recipe: [dpsgd, pulse]}\n" +
		"schedule: [{every: 500ms, do: slow, peers: \"random: 2\", compute: 3x, for: 100ms}]\n" +
		"expect: [{metric: recall/7, recipe: pulse, at_least: 0.1}]\n"
	first := mustLoad(t, text)
	effective, err := first.Effective()
	if err != nil {
		t.Fatal(err)
	}
	second := mustLoad(t, effective)
	again, err := second.Effective()
	if err != nil || again != effective {
		t.Errorf("a second reading differs (%v):\n%s\n%s", err, effective, again)
	}
	if first.Hash() != second.Hash() || first.Hash() == mustLoad(t, text, "seed=43").Hash() {
		t.Error("the hash does not follow the settings")
	}
}

func TestHeadlineAndRepeat(t *testing.T) {
	t.Parallel()
	l := mustLoad(t, small+"sweep: {train.recipe: [dpsgd, pulse]}\n", "seeds=3", "train.lr=0.4")
	if got := l.Headline(); got != "small  6 runs = 2 recipes x 3 seeds   virtual clock" {
		t.Errorf("headline %q", got)
	}
	r := testnet.Result{Recipe: "pulse", Seed: 44}
	want := "starling testnet run small.yaml --set 'seeds=3' --set 'train.lr=0.4' --only pulse --seed 44"
	if got := l.Repeat(r); got != want {
		t.Errorf("repeat %q", got)
	}
}
