// Package checkpoint keeps a peer's state on disk so that a crash at any instant loses at most the time
// since the last save.
//
// A checkpoint is a directory ckpt-<steps> with its files and one manifest that names the size and
// SHA-256 of each. It is written beside under a temporary name, flushed, and renamed: a checkpoint is
// there as a whole or not at all, and the model, the trainer and the machine in it are of one moment.
package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	manifestName     = "manifest.json"
	manifestVersion  = 1
	maxManifestBytes = 1 << 20
)

// Manifest says what a checkpoint holds and whose it is.
type Manifest struct {
	Version int    `json:"version"`
	Run     string `json:"run"`
	Peer    string `json:"peer"`
	// Signature is the hash of the model's tensors: names, shapes, types.
	Signature string    `json:"signature"`
	Recipe    string    `json:"recipe"`
	Seed      uint64    `json:"seed"`
	Round     uint64    `json:"round"`
	Steps     uint64    `json:"steps"`
	Saved     time.Time `json:"saved"`
	// Files are the sizes and hashes of the files beside the manifest, filled in by Save.
	Files map[string]FileInfo `json:"files"`
}

// FileInfo is what a file must be for the checkpoint to be valid.
type FileInfo struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func readManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, manifestName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, errors.New("it has no manifest.json")
	}
	if err != nil {
		return Manifest{}, err
	}
	if info.Size() > maxManifestBytes {
		return Manifest{}, fmt.Errorf("its manifest.json of %d bytes is larger than %d", info.Size(), maxManifestBytes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Manifest{}, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return Manifest{}, fmt.Errorf("its manifest.json does not parse: %w", err)
	}
	if m.Version != manifestVersion {
		return Manifest{}, fmt.Errorf("its format is version %d; this binary reads version %d: upgrade",
			m.Version, manifestVersion)
	}
	for name := range m.Files {
		if name != filepath.Base(name) || strings.HasPrefix(name, ".") || name == manifestName {
			return Manifest{}, fmt.Errorf("its manifest.json names the file %q", name)
		}
	}
	return m, nil
}
