//go:build unix

package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lockDir takes the lock of a directory until the file is closed or the process ends.
func lockDir(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close() // nothing was written
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.New("another agent is using this directory: give this one its own checkpoint.dir")
		}
		return nil, err
	}
	return file, nil
}
