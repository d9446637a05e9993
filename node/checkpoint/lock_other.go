//go:build !unix

package checkpoint

import "os"

// Lock does nothing: this system has no advisory lock that ends with the process.
func Lock(*os.File) error { return nil }

// Unlock closes the file.
func Unlock(file *os.File) error { return file.Close() }
