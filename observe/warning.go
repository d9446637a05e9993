package observe

import "github.com/starling-ml/starling/consensus"

// A warning that comes again and again is logged once in a while, with its count.
const warnEvery = 30 * consensus.Second

type warning struct {
	last  consensus.Time
	count int
}

// Warn tells of a condition that somebody should look at, at most every 30 s for each id. It returns
// whether the line was written now, so that a text log can follow the same rhythm.
func (m *Meter) Warn(now consensus.Time, id, text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, known := m.warnings[id]
	if !known {
		w = &warning{}
		m.warnings[id] = w
	}
	w.count++
	if known && consensus.Duration(now-w.last) < warnEvery {
		return false
	}
	m.tick(now)
	m.emit(now, Warn{ID: id, Text: text, Count: w.count})
	w.last, w.count = now, 0
	return true
}
