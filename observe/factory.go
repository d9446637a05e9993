package observe

import "github.com/prometheus/client_golang/prometheus"

// factory makes and registers metrics with our prefix.
type factory struct{ registry *prometheus.Registry }

func (f factory) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "starling", Name: name, Help: help})
	f.registry.MustRegister(c)
	return c
}

func (f factory) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "starling", Name: name, Help: help}, labels)
	f.registry.MustRegister(c)
	return c
}

func (f factory) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "starling", Name: name, Help: help})
	f.registry.MustRegister(g)
	return g
}

func (f factory) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "starling", Name: name, Help: help}, labels)
	f.registry.MustRegister(g)
	return g
}

// secondsOf is a histogram from 1 ms in 16 buckets, each twice the one before, and native buckets for
// servers that scrape them.
func secondsOf(name, help string) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Namespace: "starling", Name: name, Help: help,
		Buckets:                        prometheus.ExponentialBuckets(0.001, 2, 16),
		NativeHistogramBucketFactor:    1.1,
		NativeHistogramMaxBucketNumber: 160,
	}
}

func (f factory) histogram(name, help string) prometheus.Histogram {
	h := prometheus.NewHistogram(secondsOf(name, help))
	f.registry.MustRegister(h)
	return h
}

func (f factory) histograms(name, help string, label string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(secondsOf(name, help), []string{label})
	f.registry.MustRegister(h)
	return h
}

func (f factory) rounds(name, help string) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "starling", Name: name, Help: help,
		Buckets: []float64{0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128},
	})
	f.registry.MustRegister(h)
	return h
}
