package local

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// child is a process that a network started. It ends with this process, whatever happens to that: it is
// asked to leave when the run ends, and on Linux the kernel kills it when its parent dies.
type child struct {
	command  *exec.Cmd
	folder   string
	expected atomic.Bool // it was asked to end
	done     chan struct{}
	err      error // once done
}

// Names of what a child printed.
const (
	outFile = "stdout.log"
	errFile = "stderr.log"
)

// startChild starts a program in a folder, where it leaves what it prints. Settings in the environment
// are not for it.
func startChild(folder, program string, args []string) (*child, error) {
	command := exec.Command(program, args...) //nolint:gosec // the caller chooses the program
	command.Dir = folder
	command.Env = slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "STARLING_") })
	command.SysProcAttr = apart()
	var files []*os.File
	for _, name := range []string{outFile, errFile} {
		file, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
		if err != nil {
			return nil, fmt.Errorf("open a file for what it prints: %w", err)
		}
		defer file.Close() // the child has it
		files = append(files, file)
	}
	command.Stdout, command.Stderr = files[0], files[1]
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	c := &child{command: command, folder: folder, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.err = command.Wait()
	}()
	return c, nil
}

// ended is the error of a child that ended though nobody asked it to, with the last lines it printed.
func (c *child) ended() error {
	if c.expected.Load() {
		return nil
	}
	cause := c.err
	if cause == nil {
		cause = errors.New("it ended before the run")
	}
	return fmt.Errorf("%w\n%s", cause, c.lastLines())
}

// lastLines are the last lines that the child printed to standard error.
func (c *child) lastLines() string {
	const most, width = 8, 4 << 10
	text, err := os.ReadFile(filepath.Join(c.folder, errFile))
	if err != nil {
		return "  (it printed nothing that can be read)"
	}
	text = text[max(0, len(text)-width):]
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-most):], "\n  ")
}

// ask asks the child to leave in good order.
func (c *child) ask() error {
	c.expected.Store(true)
	return c.signal(leave)
}

// kill ends the child and everything it started, at once, and waits for it.
func (c *child) kill() error {
	c.expected.Store(true)
	err := c.signal(die)
	<-c.done
	return err
}

// pause stops the child as it stands; resume lets it go on.
func (c *child) pause() error  { return c.signal(halt) }
func (c *child) resume() error { return c.signal(proceed) }
