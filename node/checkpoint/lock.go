package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrLocked says that somebody else has the lock of a file.
var ErrLocked = errors.New("it is in use by another agent")

// lockDir takes the lock of a directory until the file is closed or the process ends.
func lockDir(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := Lock(file); err != nil {
		_ = file.Close() // nothing was written
		if errors.Is(err, ErrLocked) {
			err = fmt.Errorf("%w: give this one its own checkpoint.dir", err)
		}
		return nil, err
	}
	return file, nil
}
