//go:build !unix

package node

import "testing"

func (p *process) pause(t *testing.T) {
	t.Helper()
	t.Skip("this system cannot stop a process")
}
