//go:build !unix

package checkpoint

import (
	"os"
	"path/filepath"
)

// lockDir only opens the file: this system has no advisory lock that ends with the process.
func lockDir(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
}
