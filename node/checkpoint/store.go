package checkpoint

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	savedPrefix  = "ckpt-"
	savingPrefix = ".saving-"
	asidePrefix  = "aside-"
)

// Store is a directory of checkpoints, locked for one process.
type Store struct {
	dir  string
	keep int
	lock *os.File
	// fault is asked before each stage of a save; tests let it fail or panic there.
	fault func(stage string) error
}

// Open makes the directory if need be, locks it, and clears what a killed process left half written.
// keep is the number of checkpoints kept, at least 1; with 1 a disk error in the newest loses the run.
func Open(dir string, keep int) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open checkpoints: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, fmt.Errorf("open checkpoints in %s: %w", dir, err)
	}
	s := &Store{dir: dir, keep: max(1, keep), lock: lock, fault: func(string) error { return nil }}
	leftovers, err := filepath.Glob(filepath.Join(dir, savingPrefix+"*"))
	for _, path := range leftovers {
		err = errors.Join(err, os.RemoveAll(path))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open checkpoints: %w", err), s.Close())
	}
	return s, nil
}

// Close gives up the lock.
func (s *Store) Close() error { return Unlock(s.lock) }

// File is one file of a checkpoint to be written.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// Bytes is a File with the content given.
func Bytes(name string, content []byte) File {
	return File{name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}}
}

// Saved tells of a finished save.
type Saved struct {
	Name  string
	Bytes int64
}

// Save writes a checkpoint and then forgets all but the newest. When it fails, every earlier
// checkpoint is still there.
func (s *Store) Save(m Manifest, files ...File) (Saved, error) {
	m.Version, m.Saved, m.Files = manifestVersion, time.Now().UTC(), map[string]FileInfo{}
	name := fmt.Sprintf("%s%08d", savedPrefix, m.Steps)
	temporary, err := os.MkdirTemp(s.dir, savingPrefix)
	if err != nil {
		return Saved{}, s.explain(err, 0)
	}
	total, err := s.fill(temporary, &m, files)
	if err == nil {
		err = s.install(temporary, filepath.Join(s.dir, name))
	}
	if err != nil {
		return Saved{}, s.explain(errors.Join(err, os.RemoveAll(temporary)), total)
	}
	if err := s.prune(); err != nil {
		return Saved{}, s.explain(err, total)
	}
	return Saved{name, total}, nil
}

// explain words an error of Save; needs is what was written up to it.
func (s *Store) explain(err error, needs int64) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("checkpoint failed: no space left on %s (needs %s): %w", s.dir, size(needs), err)
	}
	return fmt.Errorf("checkpoint failed: %w", err)
}

func size(bytes int64) string {
	switch {
	case bytes >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	case bytes >= 1e3:
		return fmt.Sprintf("%.0f KB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// fill writes the files and, after them, the manifest. The bytes are counted even when it fails.
func (s *Store) fill(dir string, m *Manifest, files []File) (int64, error) {
	total := int64(0)
	for _, file := range files {
		if err := s.fault("write " + file.Name); err != nil {
			return total, err
		}
		info, err := writeFile(filepath.Join(dir, file.Name), file.Write)
		total += info.Bytes
		if err != nil {
			return total, fmt.Errorf("write %s: %w", file.Name, err)
		}
		m.Files[file.Name] = info
	}
	if err := s.fault("write " + manifestName); err != nil {
		return total, err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return total, err
	}
	info, err := writeFile(filepath.Join(dir, manifestName), Bytes("", append(text, '\n')).Write)
	return total + info.Bytes, err
}

// install gives a complete directory its name. One of the same name is put aside: it is a checkpoint
// that did not load, or of a time line that was left.
func (s *Store) install(temporary, final string) error {
	if err := s.fault("rename"); err != nil {
		return err
	}
	if err := syncDir(temporary); err != nil {
		return err
	}
	if _, err := os.Lstat(final); err == nil {
		if err := s.putAside(filepath.Base(final)); err != nil {
			return err
		}
	}
	if err := os.Rename(temporary, final); err != nil {
		return err
	}
	return syncDir(s.dir)
}

func (s *Store) putAside(name string) error {
	aside := fmt.Sprintf("%s%s-%d", asidePrefix, name, time.Now().UnixNano())
	return os.Rename(filepath.Join(s.dir, name), filepath.Join(s.dir, aside))
}

// PutAside renames all checkpoints so that a fresh start does not find them. They are not deleted.
func (s *Store) PutAside() (int, error) {
	names, err := s.names()
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		if err := s.putAside(name); err != nil {
			return 0, fmt.Errorf("put checkpoint %s aside: %w", name, err)
		}
	}
	return len(names), nil
}

// names lists the checkpoints, newest first.
func (s *Store) names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && strings.HasPrefix(entry.Name(), savedPrefix) {
			names = append(names, entry.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if len(a) != len(b) { // more than 99,999,999 steps
			return len(b) - len(a)
		}
		return strings.Compare(b, a)
	})
	return names, nil
}

func (s *Store) prune() error {
	if err := s.fault("prune"); err != nil {
		return err
	}
	names, err := s.names()
	if err != nil {
		return err
	}
	for _, name := range names[min(s.keep, len(names)):] {
		if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes and flushes one file, and returns its size and hash.
func writeFile(path string, write func(io.Writer) error) (FileInfo, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return FileInfo{}, err
	}
	hash := sha256.New()
	count := new(counter)
	buffered := bufio.NewWriterSize(file, 1<<20)
	err = write(io.MultiWriter(buffered, hash, count))
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	return FileInfo{int64(*count), hex.EncodeToString(hash.Sum(nil))}, err
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
