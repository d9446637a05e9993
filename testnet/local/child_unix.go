//go:build unix

package local

import (
	"errors"
	"fmt"
	"syscall"
)

// Signals by what they are for.
const (
	leave   = syscall.SIGTERM
	die     = syscall.SIGKILL
	halt    = syscall.SIGSTOP
	proceed = syscall.SIGCONT
)

// signal sends a signal to the process group of the child. One that has ended needs none.
func (c *child) signal(s syscall.Signal) error {
	err := syscall.Kill(-c.command.Process.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("signal %s: %w", s, err)
	}
	return nil
}
