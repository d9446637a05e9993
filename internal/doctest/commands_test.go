package doctest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// install builds the program of this tree into the folder that it returns, once.
func install(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program and runs it")
	}
	dir, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// installation is run in the source.
const installation = "go install ./cmd/starling"

var installed = sync.OnceValues(func() (string, error) {
	r := reader{ctx: context.Background(), installed: programs}
	return programs, r.shell(root(), installation)
})

// programs is where the program is installed.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "doctest"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

// TestCommands runs every command of every page, a page in its own folder from top to bottom.
func TestCommands(t *testing.T) {
	t.Parallel()
	programs := install(t)
	for _, p := range pages(t) {
		list, err := p.commands()
		if err != nil {
			t.Error(err)
		}
		if len(list) == 0 {
			continue
		}
		t.Run(p.path, func(t *testing.T) {
			t.Parallel()
			r := newReader(t)
			r.installed = programs
			for _, c := range list {
				if args, ok := strings.CutPrefix(c.text, "go run ./cmd/starling "); ok {
					c.text = "starling " + args // which go run makes and runs
				}
				began, rule := time.Now(), ruleOf(c.text)
				if err := rule.try(r, c); err != nil {
					t.Errorf("%s: %s\n%s\n%v", c.where, c.text, rule.why, err)
				}
				t.Logf("%s: %s: %s (%.1f s)", c.where, c.text, rule.why, time.Since(began).Seconds())
			}
		})
	}
}

// notCommands are code spans of pages that only look like commands.
var notCommands = map[string]string{
	"starling run": "bytes that are hashed", // docs/PROTOCOL.md
}

// TestMentionsOfTheTools tries what pages say in passing about go test and make, by the same rules.
func TestMentionsOfTheTools(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	for _, p := range pages(t) {
		for _, begin := range []string{"go test", "make"} {
			for _, text := range p.mentions(begin) {
				if err := ruleOf(text).try(r, command{text: text}); err != nil {
					t.Errorf("%s: %s: %v", p.path, text, err)
				}
			}
		}
	}
}

// TestMentions holds what pages and networks say about commands in passing to the program: its command and
// its flags must exist.
func TestMentions(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	r.installed = install(t)
	said := map[string]string{} // where by command
	for _, p := range pages(t) {
		for _, text := range p.mentions("starling") {
			said[text] = p.path
		}
	}
	files, err := filepath.Glob(filepath.Join(root(), "testnet", "networks", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, m := range comments.FindAllStringSubmatch(read(t, "testnet/networks/"+filepath.Base(file)), -1) {
			said[m[1]] = file
		}
	}
	for text, where := range said {
		if _, ok := notCommands[text]; ok {
			continue
		}
		if err := r.understood(text); err != nil {
			t.Errorf("%s: %s: %v", where, text, err)
		}
	}
}

var (
	comments = regexp.MustCompile(`(?m)^#   (starling .*)$`)
	useLine  = regexp.MustCompile(`(?m)^Usage:\n  (starling[a-z ]*?)( [^a-z].*)?$`)
)

// understood asks for the help of a command instead of running it: flags must parse, and the help must be
// that of the command and not of a group above it.
func (r *reader) understood(text string) error {
	help, err := r.output(text + " --help")
	if err != nil {
		return err
	}
	use := useLine.FindStringSubmatch(help)
	if use == nil {
		return fmt.Errorf("its help has no line of use:\n%s", help)
	}
	rest, ok := strings.CutPrefix(text, use[1])
	group := strings.Contains(help, "\n  "+use[1]+" [command]\n")
	if !ok || group && regexp.MustCompile(`^ [a-z]`).MatchString(rest) {
		return fmt.Errorf("%s has no such command", use[1])
	}
	return nil
}

func TestUnderstoodCatches(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	r.installed = install(t)
	for text, right := range map[string]bool{
		"starling testnet run x.yaml --only pulse": true, "starling testnet": true, "starling --help": true,
		"starling testnet walk": false, "starling tea": false, "starling up --sugar": false,
	} {
		if err := r.understood(text); (err == nil) != right {
			t.Errorf("%s: %v", text, err)
		}
	}
}
