package local

import "syscall"

// apart gives a child a process group of its own, so that Ctrl-C reaches it through its network alone,
// and has it killed when the thread that started it ends. The threads of Go end with the process.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
