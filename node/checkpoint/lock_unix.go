//go:build unix

package checkpoint

import (
	"errors"
	"os"
	"syscall"
)

// Lock takes the lock of a file until it is closed or the process ends. ErrLocked means that it is taken.
func Lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// Unlock gives the lock up and closes the file. Closing alone would not do: a program that this process is
// just starting may hold a copy of the file for a moment.
func Unlock(file *os.File) error {
	return errors.Join(syscall.Flock(int(file.Fd()), syscall.LOCK_UN), file.Close())
}
