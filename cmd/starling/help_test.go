package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyCommand visits the commands of the program.
func everyCommand(visit func(*cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		visit(cmd)
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(newRoot())
}

// TestHelpFitsTheTerminal: nobody reads text that a terminal of 80 columns has broken.
func TestHelpFitsTheTerminal(t *testing.T) {
	t.Parallel()
	everyCommand(func(cmd *cobra.Command) {
		if cmd.HasParent() && cmd.Parent().Name() == "completion" {
			return // cobra's own text
		}
		var out bytes.Buffer
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%s --help: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
	})
}

// TestExamplesAreUnderstood: the commands and flags of examples exist.
func TestExamplesAreUnderstood(t *testing.T) {
	t.Parallel()
	count := 0
	everyCommand(func(cmd *cobra.Command) {
		for _, line := range strings.Split(cmd.Example, "\n") {
			line, _, _ = strings.Cut(line, " >")
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			count++
			found, rest, err := newRoot().Find(words[1:])
			if words[0] != "starling" || err != nil || found.CommandPath() != cmd.CommandPath() {
				t.Errorf("%s: example %q is one of %v, %v", cmd.CommandPath(), line, found.CommandPath(), err)
				continue
			}
			if err := found.ParseFlags(rest); err != nil {
				t.Errorf("%s: example %q: %v", cmd.CommandPath(), line, err)
			} else if err := found.ValidateArgs(found.Flags().Args()); err != nil {
				t.Errorf("%s: example %q: %v", cmd.CommandPath(), line, err)
			}
		}
	})
	if count < 15 {
		t.Errorf("found %d examples", count)
	}
}

// TestFlagsAreExplained: every flag has a line of help.
func TestFlagsAreExplained(t *testing.T) {
	t.Parallel()
	everyCommand(func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s says nothing", cmd.CommandPath(), f.Name)
			}
		})
	})
}

func TestWrap(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abc ", 40)
	for _, line := range strings.Split(strings.Repeat(" ", 10)+wrap(long, 10), "\n") {
		if !strings.HasPrefix(line, strings.Repeat(" ", 10)+"abc") || len(line) > 80 {
			t.Errorf("%q", line)
		}
	}
	if got := strings.Fields(wrap(long, 10)); len(got) != 40 {
		t.Errorf("%d words of 40", len(got))
	}
	if got := wrap("one", 79); got != "one" {
		t.Errorf("a word that does not fit: %q", got)
	}
}
