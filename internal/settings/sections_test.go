package settings_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/data"
	"github.com/starling-ml/starling/train/pace"
	"github.com/starling-ml/starling/train/task"
)

// section loads a configuration that ends in text and has no mistakes.
func section(t *testing.T, text string) *config {
	t.Helper()
	c, d := load(settings.Sources{Files: file("a.yaml", "version: 1\nrun: digits\n"+text)})
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTrainSaysEveryOptionOfTheCore(t *testing.T) {
	t.Parallel()
	c := section(t, `train:
  recipe: backup
  local_steps: 4
  wait: {quorum: 2, fraction: 0.5, grace: 15%, timeout: 10x}
  late: carry
  mix: mutual
  weights: constant
  static_degrees: true
  participation: true
  pulse: {max_pieces: 4, no_mid_block: true, jump: true}
`)
	want := consensus.Options{
		Recipe: "backup", LocalSteps: 4, Quorum: 2, Fraction: 0.5, GraceFraction: 0.15, TimeoutFactor: 10,
		Late: consensus.Carry, Mix: consensus.Mutual, Weights: consensus.Constant, StaticDegrees: true,
		Participation: true, Pulse: &consensus.PulseOptions{MaxPieces: 4, NoMidBlock: true, Jump: true},
	}
	if diff := cmp.Diff(want, c.Train.Options()); diff != "" {
		t.Error(diff)
	}
	c = section(t, "train: {recipe: quorum, wait: {grace: 5ms, timeout: 2s}, quasi_global_momentum: 0.5}\n")
	want = consensus.Options{Recipe: "quorum", Grace: 5e6, Timeout: 2e9, Momentum: 0.5}
	if diff := cmp.Diff(want, c.Train.Options()); diff != "" {
		t.Error(diff)
	}
}

func TestTrainSaysEveryWordOfATask(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("x,y\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := section(t, `train:
  task:
    {dataset: csv, path: `+path+`, label: y, kind: classification, scale: none, classes: [a, 7],
     test_fraction: 0.3, model: mlp-8, batch: 4}
  lr: 0.05
  lr_schedule: {kind: cosine, steps: 100, floor: 0.1, warmup: 5}
  momentum: 0.9
  weight_decay: 0.001
`)
	want := task.Spec{
		Dataset: "csv", Path: path, Label: "y", Kind: "classification", Scale: "none", Classes: []string{"a", "7"},
		TestFraction: 0.3, Model: "mlp-8", Batch: 4, LR: 0.05, Momentum: 0.9, WeightDecay: 0.001,
		Schedule: train.Schedule{Kind: "cosine", Steps: 100, Floor: 0.1, Warmup: 5},
	}
	if diff := cmp.Diff(want, c.Train.Spec()); diff != "" {
		t.Error(diff)
	}
}

func TestDefaultsAreThoseOfTheTask(t *testing.T) {
	t.Parallel()
	got := settings.DefaultTrain().Spec().WithDefaults()
	if diff := cmp.Diff(task.Spec{}.WithDefaults(), got); diff != "" {
		t.Error(diff)
	}
	if r := settings.DefaultTrain().Recipe; string(r) != consensus.Recipes()[0].Name {
		t.Errorf("the default recipe is %s", r)
	}
}

// TestEveryOptionHasAKey: what the core lists as options can be said, under the key that OptionKey tells.
func TestEveryOptionHasAKey(t *testing.T) {
	t.Parallel()
	for _, r := range consensus.Recipes() {
		for _, o := range r.Options {
			key := settings.OptionKey(o.Name)
			_, d := load(settings.Sources{Files: file("a.yaml", good), Set: []string{key + "=[[]]"}})
			err := d.Err()
			if err == nil || !strings.Contains(err.Error(), key+": expected") {
				t.Errorf("recipe %s, option %s: key %q is unknown: %v", r.Name, o.Name, key, err)
			}
		}
	}
}

func TestPartition(t *testing.T) {
	t.Parallel()
	c := section(t, "peers: [{select: 1, data: {partition: dirichlet, alpha: 0.5, pieces: 3, only_classes: [7, cat]}}]\n")
	want := data.Partition{Kind: "dirichlet", Alpha: 0.5, Pieces: 3, OnlyClasses: []string{"7", "cat"}}
	if diff := cmp.Diff(want, c.Peers[0].Data.Deal()); diff != "" {
		t.Error(diff)
	}
	d := document()
	settings.Partition{Partition: "dirichlet"}.Check(d, "peers.slow.data")
	if err := d.Err(); err == nil || !strings.Contains(err.Error(), "alpha 0") {
		t.Errorf("got %v", err)
	}
}

func document() *settings.Document {
	_, d := load(settings.Sources{Files: file("a.yaml", good)})
	return d
}

func TestCompute(t *testing.T) {
	t.Parallel()
	const base = settings.Duration(40e6)
	for _, c := range []struct {
		text string
		want pace.Law
	}{
		{"jitter: 0", pace.Law{Step: 40 * time.Millisecond, Factor: 1}},
		{"step: 10ms", pace.Law{Step: 10 * time.Millisecond, Factor: 1}},
		{"step: 10x, jitter: 10%", pace.Law{Step: 40 * time.Millisecond, Factor: 10, Jitter: 0.1}},
		{"step: 50%, law: exponential", pace.Law{Kind: "exponential", Step: 40 * time.Millisecond, Factor: 0.5}},
		{
			"step: 1s, law: shifted, fixed: 0.8x, tail: 0.2x",
			pace.Law{Kind: "shifted", Step: time.Second, Factor: 1, Fixed: 0.8, Tail: 0.2},
		},
		{
			"step: 1s, law: occasional, probability: 5%, times: 10x",
			pace.Law{Kind: "occasional", Step: time.Second, Factor: 1, Probability: 0.05, Times: 10},
		},
		{
			"step: 1s, law: trace, trace: [[0, 1], [1, 3]]",
			pace.Law{Kind: "trace", Step: time.Second, Factor: 1, Trace: []pace.Quantile{{At: 0, Value: 1}, {At: 1, Value: 3}}},
		},
	} {
		conf := section(t, "peers: [{select: 1, compute: {"+c.text+"}}]\n")
		law, err := conf.Peers[0].Compute.Pace(base)
		if diff := cmp.Diff(c.want, law); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.text, err, diff)
		}
	}
}

func TestComputeRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		compute settings.Compute
		want    string
	}{
		{settings.Compute{Step: settings.Span{Duration: 48 * 3600e9}}, "step time 48h"},
		{settings.Compute{Step: settings.Span{Duration: 1e6}, Jitter: 2}, "jitter 2"},
		{settings.Compute{Step: settings.Span{Factor: 2}, Law: "occasional"}, "how many times longer"},
		{settings.Compute{Step: settings.Span{Factor: 2}, Trace: [][]float64{{1}}}, "trace[0] has 1 numbers"},
	} {
		d := document()
		c.compute.Check(d, "peers.slow.compute", 40e6)
		if err := d.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.compute, err, c.want)
		}
	}
}

func TestTopologyBuilds(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.edges")
	if err := os.WriteFile(name, []byte("8\n0 1\n1 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text  string
		edges int
	}{
		{"", 20}, // exponential
		{"topology: {graph: ring}", 8},
		{"topology: {graph: ring, add_edges: [[0, 4]]}", 9},
		{"topology: {graph: circulant, degree: 2}", 8},
		{"topology: {graph: clusters, clusters: 2}", 14},
		{"train: {recipe: dpsgd, schedule: {kind: one-peer-exponential}}", 12}, // a cube
		{"train: {recipe: dpsgd, schedule: {kind: matching}}", 20},
		{"topology: {edges: [[0, 1], [6, 7, 0.5]]}", 2},
		{"topology: {file: " + name + "}", 2},
		{"topology: {graph: file, file: " + name + ", add_edges: [[0, 7]]}", 3},
	} {
		all := section(t, c.text+"\n")
		g, err := all.Topology.Build(8, all.Train.Schedule)
		if err != nil || len(g.Edges()) != c.edges {
			t.Errorf("%s: %v, want %d edges, got %v", c.text, err, c.edges, g)
		}
	}
}

func TestTopologyRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "a.edges")
	if err := os.WriteFile(name, []byte("3\n0 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		topology settings.Topology
		want     string
	}{
		{settings.Topology{Graph: "file"}, "no file"},
		{settings.Topology{File: settings.Path(dir + "/none.edges")}, "no such file"},
		{settings.Topology{File: settings.Path(name)}, "the graph has 3 peers, the run has 8"},
		{settings.Topology{File: settings.Path(name), AddEdges: [][]int{{1}}}, "add_edges"},
		{settings.Topology{File: settings.Path(name), AddEdges: [][]int{{1, 9}}}, "add_edges"},
		{settings.Topology{Graph: "circulant", Degree: 99}, "degree"},
	} {
		d := document()
		if g := c.topology.Check(d, "topology", 8, settings.Schedule{}); g != nil {
			t.Errorf("%+v: got a graph", c.topology)
		}
		if err := d.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.topology, err, c.want)
		}
	}
}

func TestChoicesAreThoseOfTheRooms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list settings.Choices
		one  string
	}{
		{settings.Recipe(""), "pulse"},
		{settings.Dataset(""), "mnist"},
		{settings.GraphKind(""), "file"},
		{settings.Law(""), "trace"},
		{settings.PartitionKind(""), "shards"},
	} {
		if !slices.Contains(c.list.Choices(), c.one) {
			t.Errorf("%T does not offer %s", c.list, c.one)
		}
	}
}
