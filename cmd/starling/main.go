// Command starling runs and examines decentralised training: peers, test networks, topologies. Every
// sub-command is one file that parses its arguments and calls another package.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/starling-ml/starling/internal/settings"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program. Results go to stdout, progress and errors to stderr; it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := interruptible()
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		fmt.Fprintln(stderr, "interrupted")
		return exitInterrupted
	}
	report(stderr, err)
	return exitCode(err)
}

// report prints an error. Problems of a configuration stand for themselves.
func report(stderr io.Writer, err error) {
	var problems settings.Problems
	if errors.As(err, &problems) {
		fmt.Fprintln(stderr, err)
		return
	}
	if err.Error() != "" {
		fmt.Fprintln(stderr, "starling:", err)
	}
}

// interruptible returns a context that the first interrupt ends, so that a command can leave in good
// order; a second one ends the process at once. So does the end of the terminal, unless it is ignored as
// under nohup.
func interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case <-signals:
			cancel()
		case <-done:
			return
		}
		select {
		case <-signals:
			os.Exit(exitInterrupted)
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
