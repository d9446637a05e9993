package doctest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// limit ends a command that hangs; it says nothing about how long one should take.
const limit = 2 * time.Minute

// reader follows a page: a shell in an empty folder beside the sources, with the program on its path.
type reader struct {
	ctx       context.Context
	dir       string
	installed string // folder of the program
}

// newReader makes the folder, with what pages take for granted: the networks, the scripts, and a reader's
// own table of rows.
func newReader(t *testing.T) *reader {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the pages are written for a shell")
	}
	r := &reader{ctx: t.Context(), dir: t.TempDir(), installed: t.TempDir()}
	source, err := filepath.Abs(root())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"testnet", "scripts"} {
		if err := os.Symlink(filepath.Join(source, name), filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(r.dir, "rows.csv"), rows(), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// rows is a table with one empty image of the digits task.
func rows() []byte {
	var header, row []string
	for i := range 64 {
		header, row = append(header, fmt.Sprintf("x%d", i)), append(row, "0")
	}
	return []byte(strings.Join(header, ",") + "\n" + strings.Join(row, ",") + "\n")
}

// process is a shell that runs text in a folder.
func (r *reader) process(ctx context.Context, dir, text string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", text)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "GOBIN="+r.installed,
		"STARLING="+filepath.Join(r.installed, "starling"),
		"PATH="+r.installed+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd
}

// shell runs text in a folder; it must succeed.
func (r *reader) shell(dir, text string) error {
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	defer cancel()
	if out, err := r.process(ctx, dir, text).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", text, err, out)
	}
	return nil
}

// run runs text in the reader's folder.
func (r *reader) run(text string) error { return r.shell(r.dir, text) }

// output runs text in the reader's folder and returns what it prints.
func (r *reader) output(text string) (string, error) {
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	defer cancel()
	cmd := r.process(ctx, r.dir, text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", text, err, &stderr)
	}
	return string(out), err
}

// up runs an agent until it has taken a step and interrupts it: it must save a checkpoint and end well.
func (r *reader) up(c command) error {
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	defer cancel()
	cmd := r.process(ctx, r.dir, "exec "+c.text+
		" --listen /ip4/127.0.0.1/tcp/0 --http 127.0.0.1:0 --set network.discovery.mdns=false")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var said strings.Builder
	saved, trained := false, make(chan error, 1)
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		if at, ok := strings.CutPrefix(lines.Text(), "metrics "); ok {
			go func() {
				trained <- trains(ctx, strings.TrimSuffix(strings.TrimSpace(at), "/metrics"))
				cmd.Process.Signal(os.Interrupt)
			}()
		}
		saved = saved || strings.HasPrefix(lines.Text(), "checkpoint step ")
	}
	if err := cmd.Wait(); err != nil || !saved {
		return fmt.Errorf("ended with error %v, saved a checkpoint: %v\n%s", err, saved, &said)
	}
	return <-trained
}

// trains waits until an agent is healthy and has taken a step.
func trains(ctx context.Context, at string) error {
	for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if err := get(ctx, at+"/healthz", nil); err != nil {
			continue
		}
		var state struct{ Step uint64 }
		if err := get(ctx, at+"/api/v1/state", &state); err != nil {
			return err
		}
		if state.Step > 0 {
			return nil
		}
	}
	return ctx.Err()
}

// get reads JSON, if anything is to be read.
func get(ctx context.Context, url string, into any) error {
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
