package local

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// parent starts a child, prints its process id, and waits to be killed.
func parent() error {
	c, err := startChild(os.Args[3], "/bin/sleep", []string{"1000"})
	if err != nil {
		return err
	}
	os.Stdout.WriteString(strconv.Itoa(c.command.Process.Pid) + "\n")
	<-c.done
	return nil
}

// A network that is killed leaves no peers behind.
func TestNoOrphans(t *testing.T) {
	t.Parallel()
	command := exec.Command(os.Args[0], "parent", "-", t.TempDir())
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // it was killed
	for syscall.Kill(pid, 0) == nil && !zombie(strconv.Itoa(pid)) {
		time.Sleep(time.Millisecond) // a test that hangs here has failed
	}
}
