package node

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/observe"
)

func fetch(t *testing.T, n *Node, path string) (int, string) {
	t.Helper()
	response, err := http.Get("http://" + n.HTTP() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// zeros lists the metrics that are not there, or are 0.
func zeros(metrics string, names []string) (missing []string) {
	values := map[string]string{}
	for line := range strings.Lines(metrics) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), " "); found {
			values[name] = value
		}
	}
	for _, name := range names {
		if v := values[name]; v == "" || v == "0" {
			missing = append(missing, name)
		}
	}
	return missing
}

func TestARunningNodeFeedsMetricsAndState(t *testing.T) {
	t.Parallel()
	config := agent(t, "a")
	config.Train.EvalEvery = settings.Duration(1)
	n := open(t, config)
	if status, body := fetch(t, n, "/readyz"); status != http.StatusServiceUnavailable || body != "starting\n" {
		t.Errorf("before the run: %d %q", status, body)
	}
	a := start(n)
	eventually(t, "ready, alone", func() bool {
		status, _ := fetch(t, n, "/readyz")
		return status == http.StatusOK
	})
	b := start(open(t, agent(t, "b", a.Addrs()...)))
	names := []string{
		"starling_steps_total", "starling_step", `starling_loss{split="train"}`, `starling_loss{split="eval"}`,
		`starling_accuracy_ratio{split="eval"}`, "starling_mixes_total", `starling_neighbors{path="direct"}`,
		`starling_members{state="training"}`, `starling_membership_changes_total{change="join"}`,
		`starling_exchanges_total{outcome="ok",role="sent"}`, `starling_exchanges_total{outcome="ok",role="received"}`,
		"starling_sent_bytes_total", "starling_received_bytes_total", "starling_staleness_rounds_count",
		"starling_influence_min_ratio", "starling_consensus_distance", "starling_spectral_gap",
		`starling_checkpoints_total{outcome="ok"}`, "starling_checkpoint_last_success_timestamp_seconds",
		`starling_block_duration_seconds_count{phase="compute"}`,
	}
	var missing []string
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("0 or missing: %v", missing)
		}
	})
	eventually(t, "all metrics", func() bool {
		_, metrics := fetch(t, n, "/metrics")
		missing = zeros(metrics, names)
		return len(missing) == 0 && strings.Contains(metrics, `neighbor="`+observe.ShortID(string(b.ID()))+`"`)
	})
	var state observe.State
	rows := map[string]observe.PeerState{}
	eventually(t, "news of b", func() bool {
		_, body := fetch(t, n, "/api/v1/state")
		if err := json.Unmarshal([]byte(body), &state); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		for _, row := range state.Peers {
			rows[row.Name] = row
		}
		return rows["b"].Step > 0
	})
	if !rows["a"].Self || rows["b"].Self || !rows["b"].Neighbour || rows["b"].Path != "direct" {
		t.Errorf("the rows are %+v", rows)
	}
	if state.Status != "training" || state.Run != "test" || state.Step == 0 || state.StepTime < 0.002 {
		t.Errorf("the state is %+v", state)
	}
	a.stop(t)
	b.stop(t)
}
