package observe

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// rotated is a file that is closed and numbered when it grows beyond a size. Not safe for concurrent
// use.
type rotated struct {
	path   string
	limit  int64
	keep   int
	header []byte // first line of every file: a copy of run.start
	file   *os.File
	size   int64
	torn   bool // the last write may have ended inside a line
}

func openRotated(path string, limit int64, keep int) (*rotated, error) {
	r := &rotated{path: path, limit: limit, keep: keep}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("open event log: %w", err)
	}
	if err := r.open(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *rotated) open() error {
	file, err := os.OpenFile(r.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("open event log: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("open event log: %w", err)
	}
	r.file, r.size = file, info.Size()
	last := []byte{'\n'}
	if r.size > 0 {
		if _, err := file.ReadAt(last, r.size-1); err != nil {
			return fmt.Errorf("open event log: %w", err)
		}
	}
	r.torn = last[0] != '\n' // the process that wrote it was killed
	return nil
}

// write appends whole lines.
func (r *rotated) write(lines []byte) error {
	if r.file == nil { // an earlier rotation could not open the next file
		if err := r.open(); err != nil {
			return err
		}
	}
	if r.limit > 0 && r.size > 0 && r.size+int64(len(lines)) > r.limit {
		if err := r.rotate(); err != nil {
			return err
		}
		if !bytes.HasPrefix(lines, r.header) {
			lines = append(slices.Clone(r.header), lines...)
		}
	}
	if r.torn {
		lines = append([]byte{'\n'}, lines...)
	}
	n, err := r.file.Write(lines)
	r.size += int64(n)
	r.torn = err != nil && (n > 0 || r.torn)
	return err
}

// rotate numbers the current file, opens the next one and forgets old ones.
func (r *rotated) rotate() error {
	closed, err := r.closedFiles()
	if err != nil {
		return err
	}
	next := 1
	if len(closed) > 0 {
		next = r.number(closed[len(closed)-1]) + 1
	}
	if err := os.Rename(r.path, r.numbered(next)); err != nil {
		return fmt.Errorf("rotate event log: %w", err)
	}
	_ = r.file.Close() // every line in it was written by Write; a new file follows either way
	r.file = nil
	closed = append(closed, r.numbered(next))
	for r.keep > 0 && len(closed) > r.keep {
		if err := os.Remove(closed[0]); err != nil {
			return fmt.Errorf("rotate event log: %w", err)
		}
		closed = closed[1:]
	}
	return r.open()
}

func (r *rotated) numbered(n int) string {
	ext := filepath.Ext(r.path)
	return fmt.Sprintf("%s.%04d%s", strings.TrimSuffix(r.path, ext), n, ext)
}

// number reads the number in the name of a closed file; 0 for other files.
func (r *rotated) number(path string) int {
	ext := filepath.Ext(r.path)
	digits := strings.TrimPrefix(path, strings.TrimSuffix(r.path, ext)+".")
	n, err := strconv.Atoi(strings.TrimSuffix(digits, ext))
	if err != nil || r.numbered(n) != path {
		return 0
	}
	return n
}

// closedFiles lists the numbered files, oldest first.
func (r *rotated) closedFiles() ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(r.path))
	if err != nil {
		return nil, fmt.Errorf("rotate event log: %w", err)
	}
	var closed []string
	for _, entry := range entries {
		if path := filepath.Join(filepath.Dir(r.path), entry.Name()); r.number(path) > 0 {
			closed = append(closed, path)
		}
	}
	slices.SortFunc(closed, func(a, b string) int { return r.number(a) - r.number(b) })
	return closed, nil
}

func (r *rotated) close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Sync()
	if closeErr := r.file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("close event log %s: %w", r.path, err)
	}
	return nil
}
