//go:build !linux

package local

import "errors"

// parent needs a kernel that kills the children of a dead parent.
func parent() error { return errors.ErrUnsupported }
