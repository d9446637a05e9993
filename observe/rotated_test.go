package observe

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func numbered(path string, n int) string {
	return strings.TrimSuffix(path, ".jsonl") + fmt.Sprintf(".%04d.jsonl", n)
}

func TestFilesAreClosedBySizeAndBeginWithTheRun(t *testing.T) {
	t.Parallel()
	config := logConfig(t)
	config.RotateBytes, config.Keep = 2000, 2
	for range 2 { // the second process goes on with the numbers of the first
		log := openLog(t, config)
		log.Emit(0, RunStart{ConfigHash: "x"})
		for i := range 40 {
			log.Emit(at(i), Step{Step: uint64(i + 1)})
		}
		closeLog(t, log)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(config.Path), "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 3 {
		t.Fatalf("files are %v, want the current one and two closed ones", files)
	}
	last := uint64(0)
	for _, path := range []string{files[0], files[1], config.Path} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > config.RotateBytes {
			t.Errorf("%s has %d bytes", path, info.Size())
		}
		events := readEvents(t, path)
		if events[0].Ev != "run.start" {
			t.Errorf("%s begins with %s", path, events[0].Ev)
		}
		for _, e := range events[1:] {
			if last > 0 && e.Seq != last+1 {
				t.Errorf("%s: line %d follows line %d", path, e.Seq, last)
			}
			last = e.Seq
		}
	}
	if last != 41 {
		t.Errorf("the last line is %d, want 41", last)
	}
}

func TestFilesOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	config := logConfig(t)
	other := numbered(config.Path, 1) + ".gz"
	if err := os.MkdirAll(filepath.Dir(other), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := openRotated(config.Path, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := r.write([]byte(fmt.Sprintf("line %05d\n", i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		other: "x", config.Path: "line 00004\n", numbered(config.Path, 4): "line 00003\n",
	} {
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%s holds %q (%v), want %q", path, text, err, want)
		}
	}
	if _, err := os.Stat(numbered(config.Path, 3)); err == nil {
		t.Error("more closed files are kept than asked")
	}
}

func TestALineThatAKilledProcessLeftIsEnded(t *testing.T) {
	t.Parallel()
	config := logConfig(t)
	log := openLog(t, config)
	log.Emit(0, Warn{})
	closeLog(t, log)
	text, err := os.ReadFile(config.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config.Path, append(text, text[:30]...), 0o600); err != nil {
		t.Fatal(err)
	}
	log = openLog(t, config)
	log.Emit(0, RunEnd{})
	closeLog(t, log)
	var kinds []string
	for _, e := range readEvents(t, config.Path) {
		kinds = append(kinds, e.Ev)
	}
	if got := strings.Join(kinds, " "); got != "warn torn run.end" {
		t.Errorf("lines are %s", got)
	}
}
