package checkpoint

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// saverDir is the variable that makes the test binary a process that saves until it is killed.
const saverDir = "STARLING_TEST_SAVER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(saverDir); dir != "" {
		fmt.Fprintln(os.Stderr, saver(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// saver goes on from the newest checkpoint and prints a line after every save.
func saver(dir string) error {
	s, err := Open(dir, 2)
	if err != nil {
		return err
	}
	loaded, skipped, err := s.Latest(mine)
	if err != nil || len(skipped) > 0 {
		return fmt.Errorf("latest: %w, skipped %v", err, skipped)
	}
	steps := uint64(0)
	if loaded != nil {
		steps = loaded.Manifest.Steps
	}
	for {
		steps++
		if _, err := s.Save(manifest(steps), content(steps)...); err != nil {
			return err
		}
		fmt.Println(steps)
	}
}

// kills is how often a process is killed in each folder.
var kills = 50

// TestProcessesKilledWhileTheySaveLoseNothing kills a process that does nothing but save, at a random
// moment, again and again. What it said was saved must be there, and nothing may be half written.
func TestProcessesKilledWhileTheySaveLoseNothing(t *testing.T) {
	t.Parallel()
	const folders = 4
	for folder := range folders {
		t.Run(fmt.Sprint(folder), func(t *testing.T) {
			t.Parallel()
			dir, random := t.TempDir(), rand.New(rand.NewPCG(1, uint64(folder)))
			for range kills {
				said := killOnce(t, dir, time.Duration(random.Int64N(int64(5*time.Millisecond))))
				s, err := Open(dir, 2)
				if err != nil {
					t.Fatal(err)
				}
				loaded, skipped, err := s.Latest(mine)
				if err != nil || len(skipped) > 0 || loaded == nil {
					t.Fatalf("loaded %v, skipped %v, %v", loaded, skipped, err)
				}
				// The process may die between a save and the line about it.
				if steps := loaded.Manifest.Steps; steps != said && steps != said+1 {
					t.Fatalf("step %d is there, %d was said to be saved", steps, said)
				}
				expectLatest(t, s, loaded.Manifest.Steps)
				if left, _ := filepath.Glob(filepath.Join(dir, savingPrefix+"*")); len(left) > 0 {
					t.Fatalf("half a checkpoint is left: %v", left)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// killOnce starts a saver, kills it some time after its first save, and returns the last step that it
// said was saved.
func killOnce(t *testing.T, dir string, after time.Duration) (said uint64) {
	t.Helper()
	saver := exec.Command(os.Args[0])
	saver.Env = append(os.Environ(), saverDir+"="+dir)
	var complaints strings.Builder
	saver.Stderr = &complaints
	out, err := saver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := saver.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if said == 0 {
			time.AfterFunc(after, func() { _ = saver.Process.Kill() }) // it cannot have ended by itself
		}
		if _, err := fmt.Sscan(lines.Text(), &said); err != nil {
			t.Fatal(err)
		}
	}
	_ = saver.Wait() // it was killed
	if said == 0 {
		t.Fatalf("the process saved nothing: %s", complaints.String())
	}
	return said
}
