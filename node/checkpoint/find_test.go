package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindTakesTheNewestThatIsWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := Find(dir); err == nil || err.Error() != dir+" holds no checkpoint" {
		t.Errorf("an empty folder: %v", err)
	}
	s, err := Open(dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() }) // Find must not need the lock
	for steps := range uint64(3) {
		if _, err := s.Save(Manifest{Steps: steps}, Bytes("a", []byte{byte(steps)})); err != nil {
			t.Fatal(err)
		}
	}
	newest := filepath.Join(dir, "ckpt-00000002")
	if err := os.WriteFile(filepath.Join(newest, "a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := Find(dir)
	if err != nil || found.Manifest.Steps != 1 {
		t.Errorf("below a folder: %+v, %v", found, err)
	}
	if found, err = Find(filepath.Join(dir, "ckpt-00000000")); err != nil || found.Manifest.Steps != 0 {
		t.Errorf("a checkpoint itself: %+v, %v", found, err)
	}
	if _, err = Find(newest); err == nil || !strings.Contains(err.Error(), "SHA-256 differs") {
		t.Errorf("a damaged checkpoint: %v", err)
	}
}

func TestFindTellsWhyAllAreSkipped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "ckpt-00000001"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := "checkpoint ckpt-00000001 was skipped: it has no manifest.json"
	if _, err := Find(dir); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}
