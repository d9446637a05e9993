package observe

import (
	"math"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics are the Prometheus metrics of one peer, in a registry of their own. Identity comes from the
// scrape target, so nothing is labelled with the peer itself; text lives in the two _info metrics.
type Metrics struct {
	registry *prometheus.Registry

	runInfo     *prometheus.GaugeVec
	steps       prometheus.Counter
	step        prometheus.Gauge
	loss        *prometheus.GaugeVec
	accuracy    *prometheus.GaugeVec
	phase       *prometheus.HistogramVec
	wait        prometheus.Counter
	mixes       prometheus.Counter
	lost        prometheus.Counter
	staleness   prometheus.Histogram
	distance    prometheus.Gauge
	influence   prometheus.Gauge
	compression prometheus.Gauge
	bytes       *trafficCounters
	exchanges   *prometheus.CounterVec
	neighbours  *prometheus.GaugeVec
	members     *prometheus.GaugeVec
	changes     *prometheus.CounterVec
	rejected    *prometheus.CounterVec
	checkpoints *prometheus.CounterVec
	saved       prometheus.Gauge
	saving      prometheus.Histogram
	overloaded  prometheus.Gauge
	spectralGap prometheus.Gauge
	perPeer     *neighbourGauges
}

// BuildInfo is the text of starling_build_info.
type BuildInfo struct{ Version, Revision string }

// RunInfo is the text of starling_run_info.
type RunInfo struct{ Run, Recipe, Topology, ModelHash string }

// NewMetrics registers the metrics, with those of the Go runtime and the process.
func NewMetrics(build BuildInfo) *Metrics {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	f := factory{r}
	f.gauges("build_info", "What this peer runs; always 1.", "version", "revision", "goversion").
		WithLabelValues(build.Version, build.Revision, runtime.Version()).Set(1)
	m := &Metrics{
		registry:    r,
		runInfo:     f.gauges("run_info", "The run this peer is in; always 1.", "run", "recipe", "topology", "model_hash"),
		steps:       f.counter("steps_total", "Local training steps done by this process."),
		step:        f.gauge("step", "Local training steps behind the estimate, over all restarts."),
		loss:        f.gauges("loss", "Loss of the last block (train) or on held-out samples (eval).", "split"),
		accuracy:    f.gauges("accuracy_ratio", "Share of samples classified correctly.", "split"),
		phase:       f.histograms("block_duration_seconds", "Time of one block by phase.", "phase"),
		wait:        f.counter("wait_seconds_total", "Time spent waiting for estimates of neighbours."),
		mixes:       f.counter("mixes_total", "Averagings with neighbours."),
		lost:        f.counter("lost_steps_total", "Local steps that entered no average."),
		staleness:   f.rounds("staleness_rounds", "My round minus the round of a mixed estimate."),
		distance:    f.gauge("consensus_distance", "Root mean square distance from neighbours' estimates."),
		influence:   f.gauge("influence_min_ratio", "Least influence of any member over an equal share."),
		compression: f.gauge("compression_ratio", "Bytes of a whole estimate over those of the last one published."),
		exchanges:   f.counters("exchanges_total", "Estimates sent or received.", "role", "outcome"),
		neighbours:  f.gauges("neighbors", "Neighbours with a live link.", "path"),
		members:     f.gauges("members", "Members of the run as this peer knows them.", "state"),
		changes:     f.counters("membership_changes_total", "Changes of the membership.", "change"),
		rejected:    f.counters("rejected_messages_total", "Messages that failed a check.", "reason"),
		checkpoints: f.counters("checkpoints_total", "Checkpoints tried.", "outcome"),
		saved:       f.gauge("checkpoint_last_success_timestamp_seconds", "When a checkpoint last succeeded."),
		saving:      f.histogram("checkpoint_duration_seconds", "Time to write one checkpoint."),
		overloaded:  f.gauge("overloaded", "1 when steps take 1.3 times as long as the pace asks for."),
		spectralGap: f.gauge("spectral_gap", "1 minus the second largest modulus of the mixing matrix."),
		bytes:       newTrafficCounters(r),
		perPeer:     newNeighbourGauges(f),
	}
	m.influence.Set(1)
	return m
}

// Registry is where everything is registered; a driver may add its own collectors.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// SetRun sets the one series of starling_run_info.
func (m *Metrics) SetRun(info RunInfo) {
	m.runInfo.Reset()
	m.runInfo.WithLabelValues(info.Run, info.Recipe, info.Topology, info.ModelHash).Set(1)
}

// SetDropped exports the number of events that a sink lost.
func (m *Metrics) SetDropped(sink string, dropped func() uint64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Namespace: "starling", Name: "events_dropped_total",
		Help:        "Events lost to a full queue or a failing disk.",
		ConstLabels: prometheus.Labels{"sink": sink},
	}, func() float64 { return float64(dropped()) }))
}

// SetOverloaded says whether the machine keeps the pace that was asked for.
func (m *Metrics) SetOverloaded(on bool) { m.overloaded.Set(map[bool]float64{true: 1}[on]) }

// SetNetwork exports the number of live neighbours, the members by state and the spectral gap.
func (m *Metrics) SetNetwork(neighbours int, members map[string]int, gap float64) {
	m.neighbours.WithLabelValues("direct").Set(float64(neighbours))
	m.members.Reset()
	for state, n := range members {
		m.members.WithLabelValues(state).Set(float64(n))
	}
	m.spectralGap.Set(gap)
}

// CountExchange counts an estimate: role sent or received, outcome ok, late or rejected.
func (m *Metrics) CountExchange(role, outcome string) {
	m.exchanges.WithLabelValues(role, outcome).Inc()
}

func (m *Metrics) traffic(sent, received uint64) { m.bytes.set(sent, received) }

func (m *Metrics) add(body Body) {
	switch b := body.(type) {
	case RunStart:
		m.step.Set(float64(b.Steps))
	case Step:
		m.steps.Add(float64(b.Steps))
		m.step.Set(float64(b.Step))
		m.loss.WithLabelValues("train").Set(float64(b.Loss))
		m.phase.WithLabelValues("compute").Observe(float64(b.Compute))
	case Publish:
		if b.Bytes > 0 && b.Whole > 0 {
			m.compression.Set(float64(b.Whole) / float64(b.Bytes))
		}
	case Mix:
		m.addMix(b)
	case Lost:
		m.lost.Add(float64(b.Steps))
	case Eval:
		m.setEval(b)
	case Member:
		m.changes.WithLabelValues(b.Change).Inc()
		if b.Change != "join" {
			m.perPeer.forget(b.Peer)
		}
	case Link:
		if !b.Up {
			m.perPeer.forget(b.Peer)
		}
	case FrameReject:
		m.rejected.WithLabelValues(b.Reason).Inc()
		m.CountExchange("received", "rejected")
	case Checkpoint:
		m.addCheckpoint(b)
	}
}

func (m *Metrics) addMix(b Mix) {
	m.mixes.Inc()
	m.wait.Add(max(0, float64(b.Waited)))
	m.phase.WithLabelValues("wait").Observe(float64(b.Waited))
	m.phase.WithLabelValues("mix").Observe(float64(b.Took))
	if !math.IsNaN(float64(b.Distance)) {
		m.distance.Set(float64(b.Distance))
	}
	m.influence.Set(leastInfluence(b.Influence))
	for _, used := range b.Used {
		m.staleness.Observe(float64(used.Staleness))
	}
	m.perPeer.set(b)
}

func (m *Metrics) setEval(b Eval) {
	if loss, ok := b.Metrics["eval/loss"]; ok {
		m.loss.WithLabelValues("eval").Set(loss)
	}
	if accuracy, ok := b.Metrics["eval/accuracy"]; ok {
		m.accuracy.WithLabelValues("eval").Set(accuracy)
	}
}

func (m *Metrics) addCheckpoint(b Checkpoint) {
	m.checkpoints.WithLabelValues(b.Outcome).Inc()
	m.saving.Observe(float64(b.Took))
	if b.Outcome == "ok" {
		m.saved.SetToCurrentTime()
	}
}
