package observe

import (
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// trafficCounters export totals that are counted elsewhere.
type trafficCounters struct{ sent, received atomic.Uint64 }

func newTrafficCounters(r *prometheus.Registry) *trafficCounters {
	t := &trafficCounters{}
	counter := func(name, help string, total *atomic.Uint64) {
		r.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Namespace: "starling", Name: name, Help: help},
			func() float64 { return float64(total.Load()) }))
	}
	counter("sent_bytes_total", "Bytes of messages sent to neighbours.", &t.sent)
	counter("received_bytes_total", "Bytes of messages received from neighbours.", &t.received)
	return t
}

func (t *trafficCounters) set(sent, received uint64) {
	t.sent.Store(sent)
	t.received.Store(received)
}

// neighbourGauges are labelled by neighbour; their number is bounded by the degree, because a peer
// that leaves takes its series along.
type neighbourGauges struct{ staleness, age *prometheus.GaugeVec }

func newNeighbourGauges(f factory) *neighbourGauges {
	return &neighbourGauges{
		staleness: f.gauges("neighbor_staleness_rounds", "Rounds a neighbour's estimate is behind.", "neighbor"),
		age:       f.gauges("neighbor_age_seconds", "Age of a neighbour's estimate when last mixed.", "neighbor"),
	}
}

func (n *neighbourGauges) set(b Mix) {
	for _, used := range b.Used {
		n.staleness.WithLabelValues(ShortID(used.Peer)).Set(float64(used.Staleness))
		n.age.WithLabelValues(ShortID(used.Peer)).Set(float64(used.Age))
	}
}

func (n *neighbourGauges) forget(peer string) {
	n.staleness.DeleteLabelValues(ShortID(peer))
	n.age.DeleteLabelValues(ShortID(peer))
}

// ShortID shortens a peer id to the eight characters after the prefix that all Ed25519 ids share.
func ShortID(peer string) string {
	short := strings.TrimPrefix(peer, "12D3KooW")
	return short[:min(8, len(short))]
}
