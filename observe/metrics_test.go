package observe

import (
	"math"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// lived returns metrics that have seen every kind of body.
func lived(t *testing.T) *Metrics {
	t.Helper()
	m := NewMetrics(BuildInfo{Version: "0.1.0", Revision: "abc"})
	m.SetRun(RunInfo{Run: "lab", Recipe: "quorum", Topology: "ring", ModelHash: "d877"})
	m.SetDropped("file", func() uint64 { return 3 })
	m.SetNetwork(2, map[string]int{"training": 3}, 0.5)
	m.SetOverloaded(true)
	m.CountExchange("sent", "ok")
	meter := NewMeter(MeterConfig{Source: virtual(), Metrics: m})
	meter.Traffic(1000, 400)
	for _, body := range samples() {
		meter.Emit(at(1), body)
	}
	return m
}

func TestMetricNamesPassTheLint(t *testing.T) {
	t.Parallel()
	problems, err := testutil.GatherAndLint(lived(t).Registry())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestMetricsTellWhatHappened(t *testing.T) {
	t.Parallel()
	want := `
# HELP starling_checkpoints_total Checkpoints tried.
# TYPE starling_checkpoints_total counter
starling_checkpoints_total{outcome="failed"} 1
starling_checkpoints_total{outcome="ok"} 1
# HELP starling_compression_ratio Bytes of a whole estimate over those of the last one published.
# TYPE starling_compression_ratio gauge
starling_compression_ratio 4
# HELP starling_events_dropped_total Events lost to a full queue or a failing disk.
# TYPE starling_events_dropped_total counter
starling_events_dropped_total{sink="file"} 3
# HELP starling_exchanges_total Estimates sent or received.
# TYPE starling_exchanges_total counter
starling_exchanges_total{outcome="ok",role="sent"} 1
starling_exchanges_total{outcome="rejected",role="received"} 1
# HELP starling_influence_min_ratio Least influence of any member over an equal share.
# TYPE starling_influence_min_ratio gauge
starling_influence_min_ratio 1
# HELP starling_lost_steps_total Local steps that entered no average.
# TYPE starling_lost_steps_total counter
starling_lost_steps_total 4
# HELP starling_members Members of the run as this peer knows them.
# TYPE starling_members gauge
starling_members{state="training"} 3
# HELP starling_membership_changes_total Changes of the membership.
# TYPE starling_membership_changes_total counter
starling_membership_changes_total{change="evict"} 1
starling_membership_changes_total{change="join"} 1
starling_membership_changes_total{change="leave"} 1
# HELP starling_mixes_total Averagings with neighbours.
# TYPE starling_mixes_total counter
starling_mixes_total 2
# HELP starling_overloaded 1 when steps take 1.3 times as long as the pace asks for.
# TYPE starling_overloaded gauge
starling_overloaded 1
# HELP starling_received_bytes_total Bytes of messages received from neighbours.
# TYPE starling_received_bytes_total counter
starling_received_bytes_total 400
# HELP starling_rejected_messages_total Messages that failed a check.
# TYPE starling_rejected_messages_total counter
starling_rejected_messages_total{reason="nan"} 1
# HELP starling_run_info The run this peer is in; always 1.
# TYPE starling_run_info gauge
starling_run_info{model_hash="d877",recipe="quorum",run="lab",topology="ring"} 1
# HELP starling_sent_bytes_total Bytes of messages sent to neighbours.
# TYPE starling_sent_bytes_total counter
starling_sent_bytes_total 1000
# HELP starling_step Local training steps behind the estimate, over all restarts.
# TYPE starling_step gauge
starling_step 12
# HELP starling_steps_total Local training steps done by this process.
# TYPE starling_steps_total counter
starling_steps_total 4
# HELP starling_wait_seconds_total Time spent waiting for estimates of neighbours.
# TYPE starling_wait_seconds_total counter
starling_wait_seconds_total 0.25
`
	names := []string{}
	for line := range strings.Lines(want) {
		if name, found := strings.CutPrefix(line, "# TYPE "); found {
			names = append(names, strings.Fields(name)[0])
		}
	}
	if err := testutil.GatherAndCompare(lived(t).Registry(), strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
}

func TestSeriesOfANeighbourEndWithIt(t *testing.T) {
	t.Parallel()
	for _, end := range []Body{Link{Peer: "b"}, Member{Change: "leave", Peer: "b"}, Member{Change: "evict", Peer: "b"}} {
		m := NewMetrics(BuildInfo{})
		m.add(mixed())
		m.add(Link{Up: true, Peer: "b"})
		if n := testutil.CollectAndCount(m.perPeer.staleness); n != 1 {
			t.Fatalf("%d series of one neighbour", n)
		}
		m.add(end)
		if n := testutil.CollectAndCount(m.perPeer.staleness) + testutil.CollectAndCount(m.perPeer.age); n != 0 {
			t.Errorf("%d series are left after %s", n, end.kind())
		}
	}
}

func TestALossThatIsNotFiniteIsExportedAsIt(t *testing.T) {
	t.Parallel()
	m := NewMetrics(BuildInfo{})
	m.add(Step{Step: 1, Steps: 1, Loss: Number(math.NaN())})
	if got := testutil.ToFloat64(m.loss.WithLabelValues("train")); !math.IsNaN(got) {
		t.Errorf("loss is %g", got)
	}
}

func TestShortIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X": "PjceQrSw", "p3": "p3", "": "",
	} {
		if got := ShortID(id); got != want {
			t.Errorf("short id of %q is %q, want %q", id, got, want)
		}
	}
}
