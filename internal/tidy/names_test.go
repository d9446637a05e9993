package tidy

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// emptyWords say nothing about what a thing does.
var emptyWords = regexp.MustCompile(
	`(^|[a-z0-9_])(Manager|Utils?|Impl|Helpers?)([A-Z0-9_]|$)|(^|_)(manager|utils?|impl|helpers?)([A-Z0-9_]|$)`)

// names refuses empty words in what a file declares, and in its name.
func names(s *source) []string {
	var found []string
	refuse := func(what string, at ast.Node, name string) {
		if emptyWords.MatchString(name) {
			found = append(found, fmt.Sprintf("%s: %s %s: name it by what it does", s.line(at.Pos()), what, name))
		}
	}
	base := s.path[strings.LastIndex(s.path, "/")+1:]
	refuse("file", s.tree.Name, strings.TrimSuffix(strings.TrimSuffix(base, ".go"), "_test"))
	refuse("package", s.tree.Name, s.tree.Name.Name)
	for _, declaration := range s.tree.Decls {
		for _, name := range declared(declaration) {
			refuse("name", name, name.Name)
		}
	}
	return found
}

// declared returns the names that a declaration of a file introduces.
func declared(declaration ast.Decl) []*ast.Ident {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{d.Name}
	case *ast.GenDecl:
		var list []*ast.Ident
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				list = append(list, spec.Name)
			case *ast.ValueSpec:
				list = append(list, spec.Names...)
			}
		}
		return list
	default:
		return nil
	}
}

// documented wants a comment on every exported name: functions, types, methods of exported types, and
// constants and variables, which may share the comment of their group. A row of methods of one name, as
// the variants of a sum type have, shares the comment of the first.
func documented(s *source) []string {
	if s.isTest() || s.tree.Name.Name == "main" {
		return nil
	}
	var found []string
	missing := func(name *ast.Ident) {
		found = append(found, fmt.Sprintf("%s: %s is exported and has no comment", s.line(name.Pos()), name.Name))
	}
	row := "" // name of the method whose comment the next ones share
	for _, declaration := range s.tree.Decls {
		f, ok := declaration.(*ast.FuncDecl)
		if ok && f.Recv != nil && (f.Doc != nil || f.Name.Name == row) {
			row = f.Name.Name
			continue
		}
		row = ""
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
				missing(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				for _, name := range undocumented(d, spec) {
					missing(name)
				}
			}
		}
	}
	return found
}

// undocumented returns the exported names of a spec that neither it nor its group comments on.
func undocumented(group *ast.GenDecl, spec ast.Spec) []*ast.Ident {
	var list []*ast.Ident
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Doc == nil && spec.Comment == nil && (group.Doc == nil || len(group.Specs) > 1) {
			list = append(list, spec.Name)
		}
	case *ast.ValueSpec:
		if spec.Doc == nil && spec.Comment == nil && group.Doc == nil {
			list = spec.Names
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(name *ast.Ident) bool { return !name.IsExported() })
}

// exportedReceiver is true of plain functions and of methods that godoc shows.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	receiver := f.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return false
		}
	}
}

// unfinished refuses notes to oneself.
func unfinished(s *source) []string {
	note := regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)
	var found []string
	for _, group := range s.tree.Comments {
		for _, comment := range group.List {
			if s.room() != "internal/tidy" && note.MatchString(comment.Text) {
				found = append(found, fmt.Sprintf("%s: finish it or write an issue: %s", s.line(comment.Pos()), comment.Text))
			}
		}
	}
	return found
}

func TestNames(t *testing.T)      { t.Parallel(); check(t, names) }
func TestDocumented(t *testing.T) { t.Parallel(); check(t, documented) }
func TestUnfinished(t *testing.T) { t.Parallel(); check(t, unfinished) }

func TestNamesCatches(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"PeerManager", "StringUtils", "graphImpl", "helperOf", "newHelper", "util"} {
		trial{
			"x.go", "package x\nfunc " + bad + "() {}", bad,
			"package x\ntype Utility int\nvar simplify, helpful = 1, 2\nfunc Implement() {}",
		}.run(t, names)
	}
	if got := offences(t, names, "vec/string_utils.go", "package x"); !strings.Contains(got, "file string_utils") {
		t.Errorf("a file called string_utils.go: %q", got)
	}
}

func TestDocumentedCatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ bad, name, good string }{
		{"func F() {}", "F", "// F does.\nfunc F() {}\nfunc f() {}"},
		{"type t int\ntype T t", "T", "// T is.\ntype T int"},
		{"// M is.\ntype M int\nfunc (*M) Do() {}", "Do", "type m[T any] int\nfunc (*m[T]) Do() {}"},
		{
			"// M is.\ntype M int\n// N is.\ntype N int\n// Do does.\nfunc (M) Do() {}\nfunc (N) Die() {}", "Die",
			"// M is.\ntype M int\n// N is.\ntype N int\n// Do does.\nfunc (M) Do() {}\nfunc (N) Do() {}",
		},
		{"const (\n A = 1\n b = 2\n)", "A", "// A and B.\nconst (\n A = 1\n B = 2\n)"},
		{"// Both.\ntype (\n S int\n)\ntype (\n T int\n u int\n)", "T", "type (\n // T is.\n T int\n)"},
		{"var V, w int", "V", "var (\n V int // V is\n)"},
	} {
		trial{"x.go", "package x\n" + c.bad, ": " + c.name + " is exported", "package x\n" + c.good}.run(t, documented)
	}
}

func TestUnfinishedCatches(t *testing.T) {
	t.Parallel()
	trial{"x.go", "package x\n// TODO: all of it\n", "finish it", "package x // the TODOS family\n"}.run(t, unfinished)
}

// TestPackageComments wants one comment a package that says what it is.
func TestPackageComments(t *testing.T) {
	t.Parallel()
	comments := map[string][]string{} // room -> files that have one
	packages := map[string]string{}
	for _, s := range load(t) {
		if s.isTest() {
			continue
		}
		packages[s.room()] = s.tree.Name.Name
		if s.tree.Doc != nil {
			comments[s.room()] = append(comments[s.room()], s.path)
			if want := packageOpening(s); !strings.HasPrefix(s.tree.Doc.Text(), want) {
				t.Errorf("%s: the package comment does not begin with %q", s.path, want)
			}
		}
	}
	for room := range packages {
		if n := len(comments[room]); n != 1 {
			t.Errorf("%s: %d package comments, want one: %v", room, n, comments[room])
		}
	}
}

func packageOpening(s *source) string {
	if s.tree.Name.Name == "main" {
		return "Command " + s.room()[strings.LastIndex(s.room(), "/")+1:] + " "
	}
	return "Package " + s.tree.Name.Name + " "
}
