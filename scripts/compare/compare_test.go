package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/testnet"
)

// results are those of a grid in which the baseline needs 2 s where nobody is slow, and 10 s elsewhere, and
// another recipe always takes a share of that.
func results(share, recall float64) []testnet.Result {
	var all []testnet.Result
	for _, s := range slices.Concat(alike, links, owned) {
		for _, recipe := range []string{baseline, "quick"} {
			for seed := range uint64(3) {
				time := 10.0
				if s.even == s.name {
					time = 2
				}
				known := 0.9
				if recipe != baseline {
					time, known = time*share, recall
				}
				time += float64(seed) - 1 // the median is in the middle
				all = append(all, testnet.Result{
					Recipe: recipe, Seed: seed, Sweep: map[string]string{"case": s.name}, TimeToTarget: &time, Time: 24,
					Peers: 8, SentBytes: 8e6, Recall: map[string]float64{class: known}, Tuned: map[string]string{"train.lr": "0.8"},
				})
			}
		}
	}
	return all
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		share, recall float64
		keeps         bool
	}{{1, 0.9, true}, {1.06, 0.9, false}, {0.5, 0.87, false}, {0.5, 0.89, true}} {
		v := newGrid(results(c.share, c.recall)).judge("quick")
		if v.keeps() != c.keeps || v.even != c.share {
			t.Errorf("%+v: got %+v", c, v)
		}
		if v.worst < 5*c.share/1.9 || v.worst > 5*c.share {
			t.Errorf("%+v: the worst is %v times the limit", c, v.worst)
		}
	}
	all := results(1, 0.9)
	for i := range all {
		if all[i].Recipe == "quick" && all[i].Sweep["case"] == "iid-4x" && all[i].Seed > 0 {
			all[i].TimeToTarget = nil
		}
	}
	if v := newGrid(all).judge("quick"); v.keeps() || v.unreached != 1 || v.worst != notReached {
		t.Errorf("a target that most seeds miss: %+v", v)
	}
}

func TestThePageIsMadeOfFourGrids(t *testing.T) {
	folder := t.TempDir()
	for i, name := range []string{"grid", "held-out", "mnist", "real"} {
		text, err := json.Marshal(testnet.Summary{V: 1, Runs: results(0.25*float64(i+1), 0.9)})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := compare(folder, &out); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if row := fmt.Sprintf("| `quick` | %.2f [", 2*0.25*float64(i+1)); i > 0 && !strings.Contains(out.String(), row) {
			t.Errorf("no row begins with %q", row)
		}
	}
	if strings.Contains(out.String(), "{{") || !strings.Contains(out.String(), "| `quick` | 0.") {
		t.Errorf("a table is missing:\n%s", out.String())
	}
}

func TestMissingAndBrokenSummaries(t *testing.T) {
	folder := t.TempDir()
	if err := compare(folder, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "grid.json") {
		t.Errorf("an empty folder: %v", err)
	}
	for text, want := range map[string]string{"{": "--json", `{"v":1,"partial":true}`: "--resume", `{"v":1}`: "--resume"} {
		if err := os.WriteFile(filepath.Join(folder, "grid.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := compare(folder, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", text, err, want)
		}
	}
}
