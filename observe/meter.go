package observe

import (
	"math"
	"sync"

	"github.com/starling-ml/starling/consensus"
)

var nan = math.NaN()

// MeterConfig says where a meter's observations go. Every part but Source may be left out.
type MeterConfig struct {
	Source  Source
	Sink    Sink     // the event log
	Metrics *Metrics // Prometheus
	// Window is the length of a window; 0: one second.
	Window consensus.Duration
}

// Meter sees everything a peer does and tells the event log, the metrics and the state of it. It
// closes windows by the times it is given, so it runs on any clock. Safe for concurrent use.
type Meter struct {
	config MeterConfig

	mu       sync.Mutex
	window   tally
	state    State
	warnings map[string]*warning
	sent     uint64 // totals
	received uint64
}

// NewMeter returns a meter at time 0.
func NewMeter(config MeterConfig) *Meter {
	if config.Window <= 0 {
		config.Window = consensus.Second
	}
	return &Meter{
		config:   config,
		state:    newState(config.Source),
		warnings: map[string]*warning{},
	}
}

// Effect tells of an effect of the core; took is the time of the Step that gave it.
func (m *Meter) Effect(now consensus.Time, effect consensus.Effect, took consensus.Duration) {
	if body := FromEffect(effect, took); body != nil {
		m.Emit(now, body)
	}
}

// Emit tells of anything else.
func (m *Meter) Emit(now consensus.Time, body Body) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick(now)
	m.emit(now, body)
}

// Traffic tells how many bytes were sent and received in total.
func (m *Meter) Traffic(sent, received uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent, m.received = sent, received
	m.state.SentBytes, m.state.ReceivedBytes = sent, received
	if m.config.Metrics != nil {
		m.config.Metrics.traffic(sent, received)
	}
}

// Tick closes the window if its time is over. Emit does it too; a driver with a quiet machine ticks.
func (m *Meter) Tick(now consensus.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick(now)
}

// Flush closes the window under way whatever its length, so that windows add up to the whole run.
func (m *Meter) Flush(now consensus.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now > m.window.start {
		m.emit(now, m.window.close(now, m.sent, m.received))
	}
}

func (m *Meter) tick(now consensus.Time) {
	if consensus.Duration(now-m.window.start) >= m.config.Window {
		m.emit(now, m.window.close(now, m.sent, m.received))
	}
}

func (m *Meter) emit(now consensus.Time, body Body) {
	m.window.add(body)
	m.state.add(now, body)
	if m.config.Metrics != nil {
		m.config.Metrics.add(body)
	}
	if m.config.Sink != nil {
		m.config.Sink.Emit(now, body)
	}
}

// Note changes the row of a peer: what a driver hears about it.
func (m *Meter) Note(peer string, change func(row *PeerState)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m.state.Row(peer))
}

// State returns what is known at now.
func (m *Meter) State(now consensus.Time) State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.at(now)
}
