package doctest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// page is one file of Markdown.
type page struct {
	path string // relative to the root, with slashes
	text string
}

// root is the directory of go.mod.
func root() string { return filepath.Join("..", "..") }

// pages are all files of Markdown in the order of their paths.
func pages(t *testing.T) []page {
	t.Helper()
	var all []page
	err := fs.WalkDir(os.DirFS(root()), ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (base == "bin" || base == "runs" || name != "." && strings.HasPrefix(base, ".")):
			return fs.SkipDir
		case !d.IsDir() && path.Ext(name) == ".md":
			all = append(all, page{name, read(t, name)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// read returns a file of the tree.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// command is what a page shows after "$ " in a console block.
type command struct {
	where  string // path:line
	text   string
	sample []string // lines that it is said to print
}

// commands reads the console blocks of a page. A block in another language of shells is a mistake: nobody
// would know which of its lines are commands.
func (p page) commands() (list []command, err error) {
	language, fenced := "", false
	for i, line := range strings.Split(p.text, "\n") {
		where := fmt.Sprintf("%s:%d", p.path, i+1)
		if fence, ok := strings.CutPrefix(line, "```"); ok {
			if fenced, language = !fenced, fence; fenced && shells.MatchString(fence) {
				err = errors.Join(err, fmt.Errorf("%s: a block of %s: call it console, and its commands $", where, fence))
			}
			continue
		}
		if !fenced || language != "console" {
			continue
		}
		if text, ok := strings.CutPrefix(line, "$ "); ok {
			text, _, _ = strings.Cut(text, " # ")
			list = append(list, command{where: where, text: strings.TrimSpace(text)})
		} else if n := len(list); n > 0 {
			list[n-1].sample = append(list[n-1].sample, line)
		}
	}
	if fenced {
		err = errors.Join(err, fmt.Errorf("%s: the last block has no end", p.path))
	}
	return list, err
}

var (
	shells = regexp.MustCompile(`^(sh|bash|shell|zsh|shell-session|terminal)$`)
	blocks = regexp.MustCompile("(?ms)^```.*?^```$")
	spans  = regexp.MustCompile("`([^`\n]+)`")
	links  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// prose is the text without its blocks.
func (p page) prose() string { return blocks.ReplaceAllString(p.text, "") }

// mentions are the code spans of the prose that begin with some words.
func (p page) mentions(begin string) (list []string) {
	for _, m := range spans.FindAllStringSubmatch(p.prose(), -1) {
		if strings.HasPrefix(m[1], begin+" ") {
			list = append(list, m[1])
		}
	}
	return list
}

// targets are the files and folders of the tree that the page links to, relative to the root.
func (p page) targets() (list []string) {
	for _, m := range links.FindAllStringSubmatch(p.prose(), -1) {
		target, _, _ := strings.Cut(m[1], "#")
		if target != "" && !strings.Contains(target, ":") {
			list = append(list, path.Join(path.Dir(p.path), target))
		}
	}
	return list
}

func TestPageIsRead(t *testing.T) {
	t.Parallel()
	p := page{"docs/x.md", "A [link](../a.md#part), [out](https://b.c), [part](#part) and `starling up -f x`.\n" +
		"```\n$ no\n```\n```console\n$ one\nprinted\n\n$ two # why\n```\n```go\n[no](no.md)\n```\n"}
	list, err := p.commands()
	if err != nil || len(list) != 2 {
		t.Fatalf("got %q, %v", list, err)
	}
	if list[1].text != "two" {
		t.Errorf("got %+v", list[1])
	}
	if c := list[0]; c.where != "docs/x.md:6" || c.text != "one" || strings.Join(c.sample, "|") != "printed|" {
		t.Errorf("got %+v", c)
	}
	if got := p.targets(); len(got) != 1 || got[0] != "a.md" {
		t.Errorf("targets %q", got)
	}
	if got := p.mentions("starling"); len(got) != 1 || got[0] != "starling up -f x" {
		t.Errorf("mentions %q", got)
	}
	for _, bad := range []string{"```bash\nls\n```\n", "```console\n$ ls\n"} {
		if _, err := (page{"x.md", bad}).commands(); err == nil {
			t.Errorf("no complaint about %q", bad)
		}
	}
}
