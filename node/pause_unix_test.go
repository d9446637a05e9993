//go:build unix

package node

import (
	"syscall"
	"testing"
)

// pause stops the process without ending it.
func (p *process) pause(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}
