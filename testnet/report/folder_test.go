package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/starling-ml/starling/testnet"
)

// written describes the folder of a job that a test needs.
type written struct {
	name    string // of the manifest
	version string
	recipes []string
	seeds   int
	peers   []string
	reached bool // the last seed of every recipe reaches the target
	bare    bool // without event logs
	sweep   map[string]string
}

// write makes the folder and returns its path.
func (w written) write(t *testing.T) string {
	t.Helper()
	if w.name == "" {
		w.name = "net"
	}
	if w.version == "" {
		w.version = "1.2.3"
	}
	if w.peers == nil {
		w.peers = []string{"0", "1", "2"}
	}
	dir := filepath.Join(t.TempDir(), "2026-11-30T22-31-09-job")
	summary := testnet.Summary{V: 1, Expectations: []testnet.Verdict{{OK: false, Text: "loss of x is 3"}}}
	for r, recipe := range w.recipes {
		for s := range w.seeds {
			result := testnet.Result{
				Recipe: recipe, Seed: uint64(s + 1), Sweep: w.sweep, Runtime: "virtual", Peers: len(w.peers), Time: 4,
				Accuracy: 0.9, AccuracyMin: 0.8, Loss: 0.5, Recall: map[string]float64{"cat": 0.7, "dog": 0.95},
				SentBytes: 1_500_000, GradientsLost: uint64(17 + r), ModelHash: "abc",
			}
			if w.reached || s < w.seeds-1 {
				at := 1 + float64(s)
				result.TimeToTarget = &at
			}
			summary.Runs = append(summary.Runs, result)
			if !w.bare {
				w.writeRun(t, filepath.Join(dir, fmt.Sprintf("%s-%d", recipe, s+1)), &result)
			}
		}
	}
	put(t, filepath.Join(dir, "meta.json"), testnet.Meta{
		V: 1, Name: w.name, Version: w.version, Commit: "0123456789abcdef", ConfigHash: "feed", Seed: 1, Seeds: w.seeds,
		Runtime: "virtual", Verdict: "failed",
	})
	put(t, filepath.Join(dir, "summary.json"), summary)
	return dir
}

// writeRun makes the files of one run: a curve that a seed shifts, and two windows of every peer.
func (w written) writeRun(t *testing.T, dir string, r *testnet.Result) {
	t.Helper()
	n := testnet.Network{
		V: 1, Name: w.name, Recipe: r.Recipe, Seed: r.Seed, Sweep: r.Sweep, Runtime: r.Runtime, Graph: "ring",
		Metric: "accuracy", Target: 0.5,
	}
	for i, name := range w.peers {
		n.Peers = append(n.Peers, testnet.NetworkPeer{Name: name, Step: 0.04, Slow: i == 1})
		if i > 0 {
			n.Edges = append(n.Edges, [2]int{i - 1, i})
		}
	}
	put(t, filepath.Join(dir, "network.json"), n)
	var journal strings.Builder
	journal.WriteString(event("network", 0, "run.start", `"seed":1`))
	for i := range 5 {
		journal.WriteString(event("network", float64(i), "eval", fmt.Sprintf(
			`"eval/accuracy":%g,"eval/loss":%g,"on":"mean","step":0`, 0.2*float64(i), 3/(float64(i)+float64(r.Seed)))))
	}
	journal.WriteString(event("network", 2, "perturb.begin", `"id":"kill-2","do":"kill","targets":["2"]`))
	journal.WriteString(event("network", 4, "run.end", `"reason":"done","steps":0,"exit":0`))
	putText(t, filepath.Join(dir, "events.jsonl"), journal.String())
	for i, name := range w.peers {
		other := "id-of-" + w.peers[(i+1)%len(w.peers)]
		self := "id-of-" + name
		text := event(name, 0, "run.start", `"seed":1`)
		for at := 1.0; at <= 2; at++ {
			text += event(name, at, "window", fmt.Sprintf(`"span_s":1,"mixes":3,"stale_p50":%d,"stale_p95":%d,`+
				`"influence":{%q:0.75,%q:0.25},"waited_for_s":{%q:0.5}`, i, 2*i, self, other, other))
		}
		putText(t, filepath.Join(dir, "peers", fmt.Sprint(i), "events.jsonl"), text)
	}
}

// event is one line of a log. The identity of a peer is not its name.
func event(name string, at float64, kind, fields string) string {
	return fmt.Sprintf(`{"v":1,"ts":"2000-01-01T00:00:00Z","t":%g,"clock":"virtual","run":"net","peer":%q,"name":%q,`+
		`"seq":1,"ev":%q,%s}`+"\n", at, "id-of-"+name, name, kind, fields)
}

func put(t *testing.T, path string, object any) {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	putText(t, path, string(text))
}

func putText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// change replaces a part of a file.
func change(t *testing.T, path, from, to string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		t.Fatalf("%s does not hold %q", path, from)
	}
	putText(t, path, strings.Replace(string(text), from, to, 1))
}
