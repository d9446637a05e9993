//go:build unix && !linux

package local

import "syscall"

// apart gives a child a process group of its own, so that Ctrl-C reaches it through its network alone.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
