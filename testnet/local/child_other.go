//go:build !unix

package local

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// deed is what a signal would be for.
type deed string

const (
	leave   deed = "leave"
	die     deed = "die"
	halt    deed = "pause"
	proceed deed = "resume"
)

// apart needs nothing here.
func apart() *syscall.SysProcAttr { return nil }

// signal ends the child; this system can neither ask nor pause it.
func (c *child) signal(d deed) error {
	if d == halt || d == proceed {
		return fmt.Errorf("%s: this system cannot stop a process and let it go on", d)
	}
	err := c.command.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
