package observe

import (
	"sync"
	"sync/atomic"

	"github.com/starling-ml/starling/consensus"
)

// LogConfig describes an event log on disk.
type LogConfig struct {
	Source Source
	Level  Level
	// Path of the current file; closed ones get a number before the extension.
	Path string
	// RotateBytes closes the current file when it grows beyond; 0: never.
	RotateBytes int64
	// Keep is the number of closed files kept; 0: all.
	Keep int
	// Queue is the number of events that may wait for the disk; 0: 4096. Too small a queue loses
	// events in bursts, which the gap in seq shows; a large one only costs memory.
	Queue int
}

// Log is an event log that never blocks its caller: events wait in a bounded queue, and one that finds
// it full is dropped, counted, and visible as a gap in seq. seq starts at 1 with every run.start.
type Log struct {
	config  LogConfig
	file    *rotated
	dropped atomic.Uint64

	mu     sync.Mutex // orders seq and the queue; guards closed
	seq    uint64
	closed bool
	queue  chan queued
	done   chan struct{}
}

type queued struct {
	at   consensus.Time
	seq  uint64
	body Body
}

// OpenLog opens or continues the log at the path.
func OpenLog(config LogConfig) (*Log, error) {
	if config.Queue <= 0 {
		config.Queue = 4096
	}
	file, err := openRotated(config.Path, config.RotateBytes, config.Keep)
	if err != nil {
		return nil, err
	}
	l := &Log{config: config, file: file, queue: make(chan queued, config.Queue), done: make(chan struct{})}
	go l.write()
	return l, nil
}

// Emit queues the event if its level is kept.
func (l *Log) Emit(at consensus.Time, body Body) {
	if body.level() > l.config.Level {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.seq++
	select {
	case l.queue <- queued{at, l.seq, body}:
	default:
		l.dropped.Add(1)
	}
}

// Dropped returns how many events were lost to a full queue or a failing disk.
func (l *Log) Dropped() uint64 { return l.dropped.Load() }

// Close writes what is queued, flushes it to the disk and closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	close(l.queue)
	l.mu.Unlock()
	<-l.done
	return l.file.close()
}

// write drains the queue in batches: one write to the disk for everything that is waiting.
func (l *Log) write() {
	defer close(l.done)
	batch := 64 << 10
	if limit := l.config.RotateBytes; limit > 0 {
		batch = int(min(int64(batch), limit/4)) // a file is closed between batches
	}
	var buf []byte
	for next := range l.queue {
		lines := uint64(0)
		buf = buf[:0]
		for more := true; more; {
			buf, lines = l.encode(buf, next), lines+1
			more = false
			if len(buf) < batch {
				select {
				case next, more = <-l.queue:
				default:
				}
			}
		}
		if err := l.file.write(buf); err != nil {
			l.dropped.Add(lines)
		}
	}
}

func (l *Log) encode(buf []byte, q queued) []byte {
	start := len(buf)
	buf, err := l.config.Source.appendLine(buf, q.at, q.seq, q.body)
	if err != nil {
		l.dropped.Add(1)
		return buf[:start]
	}
	if _, first := q.body.(RunStart); first {
		l.file.header = append([]byte(nil), buf[start:]...)
	}
	return buf
}
