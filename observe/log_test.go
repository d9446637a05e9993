package observe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// event is what the tests read of a line.
type event struct {
	Seq  uint64 `json:"seq"`
	Ev   string `json:"ev"`
	Step uint64 `json:"step"`
}

func readEvents(t *testing.T, path string) []event {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var events []event
	for line := range strings.Lines(string(text)) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			e.Ev = "torn"
		}
		events = append(events, e)
	}
	return events
}

func logConfig(t *testing.T) LogConfig {
	return LogConfig{Source: virtual(), Level: Steps, Path: filepath.Join(t.TempDir(), "logs", "events.jsonl")}
}

func openLog(t *testing.T, config LogConfig) *Log {
	t.Helper()
	log, err := OpenLog(config)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func closeLog(t *testing.T, log *Log) {
	t.Helper()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestALogKeepsTheOrder(t *testing.T) {
	t.Parallel()
	config := logConfig(t)
	log := openLog(t, config)
	const n = 3000
	for i := range n {
		log.Emit(at(i), Step{Step: uint64(i + 1)})
	}
	closeLog(t, log)
	log.Emit(at(n), Step{}) // too late, and harmless
	closeLog(t, log)
	events := readEvents(t, config.Path)
	if len(events) != n || log.Dropped() != 0 {
		t.Fatalf("%d of %d lines, %d dropped", len(events), n, log.Dropped())
	}
	for i, e := range events {
		if e.Seq != uint64(i+1) || e.Step != uint64(i+1) {
			t.Fatalf("line %d is %+v", i+1, e)
		}
	}
}

func TestAFullQueueLeavesAGap(t *testing.T) {
	t.Parallel()
	config := logConfig(t)
	file, err := openRotated(config.Path, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	log := &Log{config: config, file: file, queue: make(chan queued, 2), done: make(chan struct{})}
	for range 5 {
		log.Emit(0, Warn{}) // nobody writes yet: two fit
	}
	go log.write()
	for len(log.queue) > 0 {
		time.Sleep(time.Millisecond)
	}
	log.Emit(0, RunEnd{})
	closeLog(t, log)
	events := readEvents(t, config.Path)
	want := []event{{Seq: 1, Ev: "warn"}, {Seq: 2, Ev: "warn"}, {Seq: 6, Ev: "run.end"}}
	if len(events) != 3 || events[0] != want[0] || events[1] != want[1] || events[2] != want[2] {
		t.Errorf("lines are %v, want %v", events, want)
	}
	if log.Dropped() != 3 {
		t.Errorf("%d dropped, want 3", log.Dropped())
	}
}

func TestADiskErrorCountsWhatItLost(t *testing.T) {
	t.Parallel()
	config := logConfig(t)
	file, err := openRotated(config.Path, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := file.file.Close(); err != nil { // every write fails from here
		t.Fatal(err)
	}
	log := &Log{config: config, file: file, queue: make(chan queued, 8), done: make(chan struct{})}
	for range 4 {
		log.Emit(0, Warn{})
	}
	go log.write()
	if err := log.Close(); err == nil {
		t.Error("closing a broken file is no error")
	}
	if log.Dropped() != 4 {
		t.Errorf("%d dropped, want 4", log.Dropped())
	}
}

func TestALogThatCannotBeOpenedSaysWhere(t *testing.T) {
	t.Parallel()
	config := logConfig(t)
	config.Path = filepath.Join(t.TempDir(), "file", "events.jsonl")
	if err := os.WriteFile(filepath.Dir(config.Path), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLog(config); err == nil || !strings.Contains(err.Error(), filepath.Dir(config.Path)) {
		t.Errorf("got %v", err)
	}
}
