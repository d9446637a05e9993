package testnet_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/testnet"
)

func run(t *testing.T, l *testnet.Loaded) (*testnet.Summary, string) {
	t.Helper()
	s, dir, err := testnet.Job{Manifest: l, Runtimes: virtual}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

// eventful is a manifest in which everything happens.
const eventful = small + `schedule:
  - {at: 200ms, do: slow, peers: 0, compute: 3x, for: 300ms}
  - {at: 400ms, do: pause, peers: 1, for: 300ms}
  - {at: 500ms, do: kill, peers: 2, restart_after: 400ms}
  - {at: 600ms, do: kill, peers: 6}
sweep: {train.recipe: [dpsgd, backup, dybw, quorum, pulse]}
`

func TestVirtualRunsRepeatToTheBit(t *testing.T) {
	t.Parallel()
	first, _ := run(t, mustLoad(t, eventful))
	again, _ := run(t, mustLoad(t, eventful))
	other, _ := run(t, mustLoad(t, eventful, "seed=43"))
	for i, r := range first.Runs {
		if r.ModelHash != again.Runs[i].ModelHash || r.Loss != again.Runs[i].Loss {
			t.Errorf("%s: two runs of one seed differ", r.Recipe)
		}
		if r.ModelHash == other.Runs[i].ModelHash {
			t.Errorf("%s: two seeds give the same bits", r.Recipe)
		}
	}
}

func TestResultsAreComplete(t *testing.T) {
	t.Parallel()
	s, dir := run(t, mustLoad(t, small))
	r := s.Runs[0]
	if dir != "" {
		t.Errorf("keep: none keeps %s", dir)
	}
	if r.Recipe != "quorum" || r.Seed != 42 || r.Runtime != "virtual" || r.Peers != 8 || r.Time != 2 {
		t.Errorf("%+v", r)
	}
	// for two seconds: five peers of 25 steps a second, two of 2.5, and peer 4 between those two
	if r.Steps < 255 || r.Steps > 275 || r.StepRate != float64(r.Steps)/2 {
		t.Errorf("%d steps, %g a second", r.Steps, r.StepRate)
	}
	if r.TimeToTarget == nil || *r.TimeToTarget <= 0 || *r.TimeToTarget >= 2 {
		t.Errorf("time to target %v", r.TimeToTarget)
	}
	if r.Accuracy < 0.3 || r.AccuracyMin > r.Accuracy || r.Loss <= 0 || len(r.Recall) != 10 {
		t.Errorf("%+v", r)
	}
	if r.Distance <= 0 || r.InfluenceMin <= 0 || r.InfluenceMin > 1.01 || r.GradientsLost != 0 {
		t.Errorf("%+v", r)
	}
	if want := r.Steps * 2 * 4 * 3610; r.SentBytes < want*9/10 || r.SentBytes > want*11/10 {
		t.Errorf("%d bytes sent, about %d expected", r.SentBytes, want)
	}
}

func TestStopAtSteps(t *testing.T) {
	t.Parallel()
	s, _ := run(t, mustLoad(t, small, "train.stop.steps=10"))
	if r := s.Runs[0]; r.Time < 0.36 || r.Time > 0.5 {
		t.Errorf("ten steps of 40 ms end after %g s", r.Time)
	}
}

// The JSON names are a promise.
func TestSummaryNames(t *testing.T) {
	t.Parallel()
	s, _ := run(t, mustLoad(t, small, "train.stop.time=100ms"))
	var text bytes.Buffer
	if err := s.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	var back struct {
		V            int              `json:"v"`
		Runs         []map[string]any `json:"runs"`
		Expectations []any            `json:"expectations"`
	}
	if err := json.Unmarshal(text.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.V != 1 || len(back.Runs) != 1 || back.Expectations == nil {
		t.Fatalf("%s", text.String())
	}
	for _, name := range []string{
		"recipe", "seed", "runtime", "peers", "time_s", "time_to_target_s", "steps_total", "steps_per_s",
		"waiting_ratio", "accuracy", "accuracy_min", "loss", "recall", "consensus_distance", "influence_min_ratio",
		"sent_bytes", "gradients_lost", "model_hash",
	} {
		if _, ok := back.Runs[0][name]; !ok {
			t.Errorf("no field %s", name)
		}
	}
	if back.Runs[0]["time_to_target_s"] != nil {
		t.Error("a target that was not reached is not null")
	}
}

// A model that has left the numbers is reported, not an error.
func TestDivergedRun(t *testing.T) {
	t.Parallel()
	s, _ := run(t, mustLoad(t, small, "train.lr=1e5", "train.stop.time=500ms"))
	var text bytes.Buffer
	if err := s.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), `"time_to_target_s": null`) {
		t.Errorf("%s", text.String())
	}
}

func TestRunFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	l := mustLoad(t, eventful, "output.keep=all", "output.dir="+root, "output.events=step", "seeds=2")
	s, dir := run(t, l)
	if filepath.Dir(dir) != root || !strings.HasSuffix(dir, "-small") {
		t.Errorf("folder %s", dir)
	}
	for _, name := range []string{"meta.json", "config.yaml", "topology.edges", "summary.json", "summary.csv"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	var meta map[string]any
	readJSON(t, filepath.Join(dir, "meta.json"), &meta)
	if meta["verdict"] != "ok" || meta["seed"] != 42.0 || meta["config_hash"] != l.Hash() || meta["ended"] == nil {
		t.Errorf("meta %v", meta)
	}
	var back testnet.Summary
	readJSON(t, filepath.Join(dir, "summary.json"), &back)
	if len(back.Runs) != 10 || back.Runs[3].ModelHash != s.Runs[3].ModelHash {
		t.Errorf("summary.json has %d runs", len(back.Runs))
	}
	checkCSV(t, filepath.Join(dir, "summary.csv"))
	checkLog(t, filepath.Join(dir, "pulse-43", "peers", "0", "events.jsonl"), "step", "publish", "mix", "window")
	checkLog(t, filepath.Join(dir, "pulse-43", "peers", "1", "events.jsonl"), "link")
	checkLog(t, filepath.Join(dir, "dpsgd-42", "events.jsonl"), "eval", "perturb.begin")
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func checkCSV(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 11 || rows[0][0] != "recipe" || !slices.Contains(rows[0], "recall_7") {
		t.Errorf("%s: %v, %d rows", path, err, len(rows))
	}
}

// checkLog demands a first and a last line, numbers without a gap, and some kinds of events.
func checkLog(t *testing.T, path string, kinds ...string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := map[string]bool{}
	var last string
	lines := bufio.NewScanner(file)
	for n := 1.0; lines.Scan(); n++ {
		var line map[string]any
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if line["seq"] != n || line["clock"] != "virtual" || line["run"] != "small" {
			t.Fatalf("%s: line %g is %s", path, n, lines.Text())
		}
		last = line["ev"].(string)
		if n == 1 && last != "run.start" {
			t.Errorf("%s begins with %s", path, last)
		}
		seen[last] = true
	}
	if last != "run.end" {
		t.Errorf("%s ends with %s", path, last)
	}
	for _, kind := range kinds {
		if !seen[kind] {
			t.Errorf("%s has no %s", path, kind)
		}
	}
}

func TestKeepFailed(t *testing.T) {
	t.Parallel()
	for bound, kept := range map[string]bool{"0": false, "2": true} {
		root := t.TempDir()
		text := small + "expect: [{metric: accuracy, at_least: " + bound + "}]\n"
		s, dir := run(t, mustLoad(t, text, "output.keep=failed", "output.dir="+root, "train.stop.time=100ms"))
		left, err := os.ReadDir(root)
		if err != nil || (len(left) == 1) != kept || (dir != "") != kept || s.OK() == kept {
			t.Errorf("accuracy at least %s: %v left, folder %q, ok %t", bound, left, dir, s.OK())
		}
		if kept && s.Expectations[0].Line != 18 {
			t.Errorf("line %d", s.Expectations[0].Line)
		}
	}
}

func TestRunErrors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := mustLoad(t, small, "output.keep=all", "output.dir="+file)
	if _, _, err := (testnet.Job{Manifest: l, Runtimes: virtual}).Run(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "set output.dir, or output.keep: none") {
		t.Errorf("a folder that is a file: %v", err)
	}
	l = mustLoad(t, strings.Replace(small, "    link: {latency: 5ms}\n", "", 1),
		"peers.groups=[]", "runtime=process")
	if _, _, err := (testnet.Job{Manifest: l, Runtimes: virtual}).Run(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "runtime process is not available here") {
		t.Errorf("a runtime that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l = mustLoad(t, small, "output.keep=all", "output.dir="+t.TempDir())
	_, dir, err := testnet.Job{Manifest: l, Runtimes: virtual}.Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was cancelled: %v", err)
	}
	var meta map[string]any
	readJSON(t, filepath.Join(dir, "meta.json"), &meta)
	if meta["verdict"] != "error: context canceled" {
		t.Errorf("verdict %v", meta["verdict"])
	}
}

// breaking is a runtime in which the second run fails.
type breaking struct{}

func (breaking) Run(_ context.Context, p *testnet.Plan) (testnet.Result, error) {
	if p.Seed == 43 {
		return testnet.Result{}, errors.New("out of luck")
	}
	return p.Result(), nil
}

func TestFirstErrorEndsTheJob(t *testing.T) {
	t.Parallel()
	runtimes := map[testnet.RuntimeName]testnet.Runtime{testnet.VirtualTime: breaking{}}
	_, _, err := testnet.Job{Manifest: mustLoad(t, small, "seeds=3"), Runtimes: runtimes}.Run(t.Context())
	if err == nil || err.Error() != "quorum-43: out of luck" {
		t.Errorf("%v", err)
	}
}

// TestResultsOutliveTheirFiles fails to write the summary: what was measured must not be lost.
func TestResultsOutliveTheirFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	job := testnet.Job{
		Manifest: mustLoad(t, small, "output.keep=all", "output.dir="+dir, "train.stop.time=100ms"), Runtimes: virtual,
		Progress: func(int, int, *testnet.Plan, testnet.Result) {
			folders, _ := filepath.Glob(filepath.Join(dir, "*"))
			if err := os.Mkdir(filepath.Join(folders[0], "summary.json"), 0o700); err != nil {
				t.Error(err)
			}
		},
	}
	summary, _, err := job.Run(t.Context())
	var failed *fs.PathError
	if !errors.As(err, &failed) || summary == nil || len(summary.Runs) != 1 {
		t.Errorf("summary %+v, error %v", summary, err)
	}
}

func TestProgressCounts(t *testing.T) {
	t.Parallel()
	var seen []int
	job := testnet.Job{
		Manifest: mustLoad(t, small, "seeds=3", "train.stop.time=100ms"), Runtimes: virtual,
		Progress: func(done, all int, _ *testnet.Plan, _ testnet.Result) { seen = append(seen, done*10+all) },
	}
	if _, _, err := job.Run(t.Context()); err != nil || !slices.Equal(seen, []int{13, 23, 33}) {
		t.Errorf("%v, %v", seen, err)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	three := 3.0
	s := &testnet.Summary{Runs: []testnet.Result{
		{Recipe: "dpsgd", Accuracy: 0.5, Recall: map[string]float64{"7": 0.25, "8": 1}, TimeToTarget: &three},
		{Recipe: "dpsgd", Seed: 1, Accuracy: 0.7, Recall: map[string]float64{"7": 0.35, "8": 1}, Overloaded: true},
		{Recipe: "pulse", Accuracy: 0.9, Recall: map[string]float64{"7": 0.75, "8": 0.5}, TimeToTarget: &three},
	}}
	s.Expectations = []testnet.Verdict{{OK: true}, {Text: "too bad", Runs: []int{2}}, {Text: "no run"}}
	var text bytes.Buffer
	repeat := func(r testnet.Result) string { return "again " + r.Recipe }
	if err := s.WriteTable(&text, testnet.Style{Repeat: repeat}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"dpsgd     0.600       0.000    0.300 (7)", "- [3.0 -] (overloaded)",
		"pulse     0.900       0.000    0.500 (8)", "3.0 s\n",
		"expectations  1 ok, 2 failed", "FAILED  too bad", "repeat:  again pulse", "FAILED  no run\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

// TestTableOfNumbers: a task without classes has neither accuracy nor recall.
func TestTableOfNumbers(t *testing.T) {
	t.Parallel()
	s := &testnet.Summary{Runs: []testnet.Result{
		{Recipe: "pulse", Loss: 0.0125, RMSE: 2.5, StepRate: 30, InfluenceMin: 1},
	}}
	var text bytes.Buffer
	if err := s.WriteTable(&text, testnet.Style{}); err != nil {
		t.Fatal(err)
	}
	want := "         loss  rmse  steps/s  waits  influence  to target\n" +
		"pulse  0.0125   2.5       30    0 %       1.00          -\n"
	if text.String() != want {
		t.Errorf("got\n%s", text.String())
	}
}

// TestCancelledInTheMiddle cancels a run that has a long way to go until its next evaluation.
func TestCancelledInTheMiddle(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	plan := plansOf(t, small, "train.stop.time=8760h")[0]
	plan.Watch = func(testnet.Moment) { cancel() } // at time 0
	if _, err := (testnet.Virtual{}).Run(ctx, plan); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
