package tidy

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/starling-ml/starling"

// source is one Go file of the module.
type source struct {
	path string // relative to the root, with slashes
	text []byte
	tree *ast.File
	set  *token.FileSet
}

// room is the directory, which is the import path less the module's.
func (s *source) room() string { return path.Dir(s.path) }

func (s *source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s *source) generated() bool { return ast.IsGenerated(s.tree) }

// line returns "path:line" of a position.
func (s *source) line(at token.Pos) string {
	return fmt.Sprintf("%s:%d", s.path, s.set.Position(at).Line)
}

// lines returns how many lines a node covers.
func (s *source) lines(n ast.Node) int {
	return s.set.Position(n.End()).Line - s.set.Position(n.Pos()).Line + 1
}

func parse(path string, text []byte) (*source, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
	return &source{path: path, text: text, tree: tree, set: set}, err
}

// root is the directory of go.mod.
func root() string { return filepath.Join("..", "..") }

// sources are all Go files of the module in the order of their paths, read once.
var sources = sync.OnceValues(func() ([]*source, error) {
	var all []*source
	err := filepath.WalkDir(root(), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped(d.Name()) && name != root() {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root(), name)
		if err != nil {
			return err
		}
		s, err := parse(filepath.ToSlash(relative), text)
		all = append(all, s)
		return err
	})
	return all, err
})

// skipped tells directories that hold no code of ours.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{"bin", "runs", "testdata"}, name)
}

func load(t *testing.T) []*source {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// rule looks at one file and says what offends, each with its place.
type rule func(*source) []string

// check applies a rule to every file that is not generated.
func check(t *testing.T, r rule) {
	t.Helper()
	for _, s := range load(t) {
		if s.generated() {
			continue
		}
		for _, offence := range r(s) {
			t.Error(offence)
		}
	}
}

// offences applies a rule to a snippet, as if it were the file at path.
func offences(t *testing.T, r rule, path, text string) string {
	t.Helper()
	s, err := parse(path, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(r(s), "\n")
}

// trial is a snippet that a rule must complain about, with words of the complaint, and one it must let
// pass, both as if they were the file at path: a rule that cannot fail is no rule.
type trial struct{ path, bad, want, good string }

func (c trial) run(t *testing.T, r rule) {
	t.Helper()
	if got := offences(t, r, c.path, c.bad); !strings.Contains(got, c.want) {
		t.Errorf("found %q in\n%s\nwant %q", got, c.bad, c.want)
	}
	if got := offences(t, r, c.path, c.good); got != "" {
		t.Errorf("found %q in\n%s", got, c.good)
	}
}

func TestSourcesAreFound(t *testing.T) {
	t.Parallel()
	var rooms []string
	for _, s := range load(t) {
		rooms = append(rooms, s.room())
		if len(bytes.TrimSpace(s.text)) == 0 {
			t.Errorf("%s is empty", s.path)
		}
	}
	for _, want := range []string{"vec", "topology", "consensus", "internal/tidy"} {
		if !slices.Contains(rooms, want) {
			t.Errorf("%s is not among the rooms found", want)
		}
	}
}
