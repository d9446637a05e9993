package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var mine = Wanted{Run: "lab", Peer: "p1", Signature: "d877"}

func openStore(t *testing.T, dir string, keep int) *Store {
	t.Helper()
	s, err := Open(dir, keep)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.lock.Close() })
	return s
}

// manifest is of the run that mine wants.
func manifest(steps uint64) Manifest {
	return Manifest{Run: mine.Run, Peer: mine.Peer, Signature: mine.Signature, Steps: steps, Round: steps / 2}
}

// content is two files that tell their step.
func content(steps uint64) []File {
	return []File{
		Bytes("model", fmt.Appendf(nil, "model of step %d", steps)), Bytes("trainer", fmt.Appendf(nil, "%d", steps)),
	}
}

func save(t *testing.T, s *Store, steps uint64) Saved {
	t.Helper()
	saved, err := s.Save(manifest(steps), content(steps)...)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

// expectLatest checks that the newest valid checkpoint is whole and of a step, and what was skipped.
func expectLatest(t *testing.T, s *Store, steps uint64, skips ...string) {
	t.Helper()
	loaded, skipped, err := s.Latest(mine)
	if err != nil {
		t.Fatal(err)
	}
	if loaded == nil || loaded.Manifest.Steps != steps || loaded.Manifest.Round != steps/2 {
		t.Fatalf("loaded %+v, want step %d", loaded, steps)
	}
	for _, f := range content(steps) {
		var want strings.Builder
		if err := f.Write(&want); err != nil {
			t.Fatal(err)
		}
		if got, err := loaded.ReadAll(f.Name); err != nil || string(got) != want.String() {
			t.Errorf("%s holds %q (%v), want %q", f.Name, got, err, want.String())
		}
	}
	if len(skipped) != len(skips) {
		t.Fatalf("skipped %v, want %v", skipped, skips)
	}
	for i, s := range skipped {
		if !strings.Contains(s.String(), skips[i]) {
			t.Errorf("%q does not say %q", s, skips[i])
		}
	}
}

func TestTheNewestIsLoadedAndOldOnesAreForgotten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, 2)
	if loaded, skipped, err := s.Latest(mine); loaded != nil || skipped != nil || err != nil {
		t.Fatalf("an empty store gave %v, %v, %v", loaded, skipped, err)
	}
	for _, steps := range []uint64{8, 90, 123_456_789} { // names of unequal length
		saved := save(t, s, steps)
		if want := fmt.Sprintf("ckpt-%08d", steps); saved.Name != want || saved.Bytes < 15 {
			t.Errorf("saved %+v, want %s", saved, want)
		}
	}
	expectLatest(t, s, 123_456_789)
	names, err := s.names()
	if want := []string{"ckpt-123456789", "ckpt-00000090"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("kept %v (%v), want %v", names, err, want)
	}
}

func TestADamagedCheckpointIsSkippedByName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		says   string
	}{
		{"a bit", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, "model"), func(b []byte) []byte { b[3] ^= 1; return b })
		}, "model does not have the content that was saved"},
		{"cut short", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, "model"), func(b []byte) []byte { return b[:5] })
		}, "model has 5 bytes instead of"},
		{"a file less", func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "trainer")) }, "trainer"},
		{"no manifest", func(t *testing.T, dir string) { remove(t, filepath.Join(dir, manifestName)) }, "no manifest.json"},
		{"half a manifest", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, manifestName), func(b []byte) []byte { return b[:len(b)/2] })
		}, "does not parse"},
		{"a huge manifest", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, manifestName), func([]byte) []byte { return make([]byte, maxManifestBytes+1) })
		}, "larger than"},
		{"a newer format", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, manifestName), func(b []byte) []byte {
				return []byte(strings.Replace(string(b), `"version": 1`, `"version": 2`, 1))
			})
		}, "version 2; this binary reads version 1"},
		{"a path", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, manifestName), func(b []byte) []byte {
				return []byte(strings.Replace(string(b), `"trainer"`, `"../trainer"`, 1))
			})
		}, `names the file "../trainer"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := openStore(t, dir, 3)
			save(t, s, 100)
			save(t, s, 200)
			c.damage(t, filepath.Join(dir, "ckpt-00000200"))
			expectLatest(t, s, 100, "ckpt-00000200 was skipped: ")
			expectLatest(t, s, 100, c.says)
			save(t, s, 200) // training came by again
			expectLatest(t, s, 200)
		})
	}
}

func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func TestForeignCheckpointsAreRefused(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), 3)
	save(t, s, 100)
	for _, c := range []struct {
		want Wanted
		says string
	}{
		{Wanted{"other", "p1", "d877"}, `is of run "lab" and this is run "other"`},
		{Wanted{"lab", "p2", "d877"}, "is of peer p1 and this is peer p2"},
		{Wanted{"lab", "p1", "0000"}, "is of model d877 and this run trains model 0000"},
	} {
		loaded, _, err := s.Latest(c.want)
		if loaded != nil || !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), c.says) ||
			!strings.Contains(err.Error(), "ckpt-00000100") {
			t.Errorf("%v: loaded %v, %v", c.want, loaded, err)
		}
	}
	if n, err := s.PutAside(); n != 1 || err != nil {
		t.Fatalf("put aside %d, %v", n, err)
	}
	if loaded, _, err := s.Latest(mine); loaded != nil || err != nil {
		t.Errorf("after putting aside: %v, %v", loaded, err)
	}
	if aside, err := filepath.Glob(filepath.Join(s.dir, "aside-ckpt-00000100-*", "model")); len(aside) != 1 {
		t.Errorf("what was put aside is gone: %v (%v)", aside, err)
	}
}

// stages are all points at which a save can be interrupted.
var stages = []string{"write model", "write trainer", "write manifest.json", "rename", "prune"}

func TestAKillAtAnyPointLosesNothing(t *testing.T) {
	t.Parallel()
	for _, stage := range stages {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := openStore(t, dir, 1)
			save(t, s, 100)
			s.fault = func(at string) error {
				if at == stage {
					panic("killed")
				}
				return nil
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Fatal("the save has no such stage")
					}
				}()
				s.Save(manifest(200), content(200)...)
			}()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			again := openStore(t, dir, 1)
			want := uint64(100)
			if stage == "prune" {
				want = 200
			}
			expectLatest(t, again, want)
			if left, err := filepath.Glob(filepath.Join(dir, savingPrefix+"*")); len(left) > 0 || err != nil {
				t.Errorf("half a checkpoint is left: %v (%v)", left, err)
			}
			save(t, again, 300)
			expectLatest(t, again, 300)
		})
	}
}

func TestAFullDiskKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, stage := range stages[:4] {
		dir := t.TempDir()
		s := openStore(t, dir, 1)
		save(t, s, 100)
		s.fault = func(at string) error {
			if at == stage {
				return &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
			}
			return nil
		}
		_, err := s.Save(manifest(200), content(200)...)
		if err == nil || !strings.Contains(err.Error(), "checkpoint failed: no space left on "+dir+" (needs ") ||
			!errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v", stage, err)
		}
		expectLatest(t, s, 100)
		if entries, err := os.ReadDir(dir); len(entries) != 2 { // the checkpoint and the lock
			t.Errorf("%s: %v (%v) are left", stage, entries, err)
		}
	}
}

func TestAFileThatFailsEndsTheSave(t *testing.T) {
	t.Parallel()
	s := openStore(t, t.TempDir(), 1)
	save(t, s, 100)
	broken := File{"model", func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 5000)); err != nil {
			return err
		}
		return syscall.ENOSPC
	}}
	if _, err := s.Save(manifest(200), broken); err == nil || !strings.Contains(err.Error(), "needs 5 KB") {
		t.Errorf("got %v", err)
	}
	expectLatest(t, s, 100)
}

func TestAFolderIsForOneProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, dir, 1)
	if other, err := Open(dir, 1); err == nil || !strings.Contains(err.Error(), "checkpoint.dir") {
		t.Errorf("a second process got %v, %v", other, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openStore(t, dir, 1)
}

func TestAFolderThatCannotBeMade(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(path, "ckpt"), 1); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

func TestSizesForPeople(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{12: "12 bytes", 75_400: "75 KB", 40_200_000: "40.2 MB"} {
		if got := size(bytes); got != want {
			t.Errorf("%d is %s, want %s", bytes, got, want)
		}
	}
}
