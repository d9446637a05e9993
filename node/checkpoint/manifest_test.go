package checkpoint

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzManifest loads checkpoints with any manifest: none may name a file outside of its folder, and none
// may be taken for whole unless the files are there.
func FuzzManifest(f *testing.F) {
	text, err := json.Marshal(Manifest{
		Version: manifestVersion, Run: "lab", Peer: "p1", Signature: "d877", Steps: 7, Saved: time.Unix(1, 0).UTC(),
		Files: map[string]FileInfo{},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	// The SHA-256 of nothing.
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for _, name := range []string{"model", "gone", "../model", "/etc/passwd", ".", "..", ""} {
		f.Add(strings.Replace(string(text), `"files":{}`, `"files":{"`+name+`":{"bytes":0,"sha256":"`+empty+`"}}`, 1))
	}
	dir := f.TempDir()
	saved := filepath.Join(dir, "ckpt-00000007")
	for _, path := range []string{saved, filepath.Join(dir, "model")} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(saved, "model"), nil, 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(saved, manifestName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		loaded, err := (&Store{dir: dir}).load("ckpt-00000007")
		if err != nil {
			return
		}
		for name, info := range loaded.Manifest.Files {
			if name != "model" || info.Bytes != 0 || info.SHA256 != empty {
				t.Errorf("a checkpoint with the file %q of %d bytes was taken", name, info.Bytes)
			}
		}
	})
}
