package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Wanted is what a checkpoint must be of to be resumed from.
type Wanted struct{ Run, Peer, Signature string }

// Loaded is a checkpoint whose files were all found to be what its manifest says.
type Loaded struct {
	Name     string
	Manifest Manifest
	dir      string
}

// Skipped is a checkpoint that did not load.
type Skipped struct{ Name, Reason string }

// String names the checkpoint and tells why.
func (s Skipped) String() string {
	return fmt.Sprintf("checkpoint %s was skipped: %s", s.Name, s.Reason)
}

// ErrForeign is behind the error for a checkpoint of another run, peer or model.
var ErrForeign = errors.New("it belongs to something else")

// Latest returns the newest valid checkpoint, or nil when there is none, and every newer one that was
// skipped. A valid one of another run, peer or model is an error: guessing would lose somebody's work.
func (s *Store) Latest(want Wanted) (*Loaded, []Skipped, error) {
	names, err := s.names()
	if err != nil {
		return nil, nil, err
	}
	var skipped []Skipped
	for _, name := range names {
		loaded, err := s.load(name)
		if err != nil {
			skipped = append(skipped, Skipped{name, err.Error()})
			continue
		}
		if err := want.check(loaded.Manifest); err != nil {
			return nil, skipped, fmt.Errorf("checkpoint %s in %s %w", name, s.dir, err)
		}
		return loaded, skipped, nil
	}
	return nil, skipped, nil
}

func (w Wanted) check(m Manifest) error {
	const next = "set another checkpoint.dir, or fresh: true to start anew"
	switch {
	case m.Run != w.Run:
		return fmt.Errorf("is of run %q and this is run %q: %s: %w", m.Run, w.Run, next, ErrForeign)
	case m.Peer != w.Peer:
		return fmt.Errorf("is of peer %s and this is peer %s: use its identity.key_file; or %s: %w",
			m.Peer, w.Peer, next, ErrForeign)
	case m.Signature != w.Signature:
		return fmt.Errorf("is of model %s and this run trains model %s: %s: %w",
			m.Signature, w.Signature, next, ErrForeign)
	}
	return nil
}

func (s *Store) load(name string) (*Loaded, error) {
	l := &Loaded{Name: name, dir: filepath.Join(s.dir, name)}
	var err error
	if l.Manifest, err = readManifest(l.dir); err != nil {
		return nil, err
	}
	for file, want := range l.Manifest.Files {
		if err := verify(filepath.Join(l.dir, file), want); err != nil {
			return nil, fmt.Errorf("%s %w", file, err)
		}
	}
	return l, nil
}

func verify(path string, want FileInfo) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != want.Bytes {
		return fmt.Errorf("has %d bytes instead of %d", info.Size(), want.Bytes)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return err
	}
	if hex.EncodeToString(hash.Sum(nil)) != want.SHA256 {
		return errors.New("does not have the content that was saved (SHA-256 differs)")
	}
	return nil
}

// Read hands a file of the checkpoint to read, with its size.
func (l *Loaded) Read(name string, read func(r io.Reader, size int64) error) error {
	info, ok := l.Manifest.Files[name]
	if !ok {
		return fmt.Errorf("checkpoint %s has no %s", l.Name, name)
	}
	file, err := os.Open(filepath.Join(l.dir, name))
	if err != nil {
		return fmt.Errorf("checkpoint %s: %w", l.Name, err)
	}
	defer file.Close()
	if err := read(io.LimitReader(file, info.Bytes), info.Bytes); err != nil {
		return fmt.Errorf("checkpoint %s: %s: %w", l.Name, name, err)
	}
	return nil
}

// ReadAll returns a small file of the checkpoint.
func (l *Loaded) ReadAll(name string) (content []byte, err error) {
	err = l.Read(name, func(r io.Reader, _ int64) error {
		content, err = io.ReadAll(r)
		return err
	})
	return content, err
}
