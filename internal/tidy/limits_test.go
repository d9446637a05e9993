package tidy

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"
	"testing"
	"unicode/utf8"
)

// Hard limits; the targets are in CONTRIBUTING.md. What splits well is easy to name, and what is easy to
// name is easy to find.
const (
	maxFunctionLines    = 70
	maxFileLines        = 500
	maxTestFileLines    = 800
	maxParameters       = 5
	maxInterfaceMethods = 5
	maxColumns          = 120
)

// functionLength counts from the word func to the closing brace. The tables of tests do not count.
func functionLength(s *source) []string {
	var found []string
	for _, declaration := range s.tree.Decls {
		f, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		length := s.lines(f)
		if s.isTest() {
			length -= tableLines(s, f)
		}
		if length > maxFunctionLines {
			found = append(found, fmt.Sprintf("%s: function %s has %d lines: at most %d, split it",
				s.line(f.Pos()), f.Name.Name, length, maxFunctionLines))
		}
	}
	return found
}

// tableLines counts the lines of the outermost composite literals of f.
func tableLines(s *source, f *ast.FuncDecl) int {
	total := 0
	ast.Inspect(f, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if ok {
			total += s.lines(literal) - 1
		}
		return !ok
	})
	return total
}

func fileLength(s *source) []string {
	limit := maxFileLines
	if s.isTest() {
		limit = maxTestFileLines
	}
	if n := bytes.Count(s.text, []byte("\n")); n > limit {
		return []string{fmt.Sprintf("%s: %d lines: at most %d, one idea a file", s.path, n, limit)}
	}
	return nil
}

func parameters(s *source) []string {
	var found []string
	ast.Inspect(s.tree, func(n ast.Node) bool {
		f, ok := n.(*ast.FuncType)
		if ok && f.Params.NumFields() > maxParameters {
			found = append(found, fmt.Sprintf("%s: %d parameters: at most %d, make them a struct",
				s.line(f.Pos()), f.Params.NumFields(), maxParameters))
		}
		return true
	})
	return found
}

func interfaceSize(s *source) []string {
	var found []string
	ast.Inspect(s.tree, func(n ast.Node) bool {
		i, ok := n.(*ast.InterfaceType)
		if ok && i.Methods.NumFields() > maxInterfaceMethods {
			found = append(found, fmt.Sprintf("%s: an interface of %d methods: at most %d, ask for less",
				s.line(i.Pos()), i.Methods.NumFields(), maxInterfaceMethods))
		}
		return true
	})
	return found
}

func columns(s *source) []string {
	var found []string
	for i, line := range strings.Split(string(s.text), "\n") {
		if n := utf8.RuneCountInString(line); n > maxColumns {
			found = append(found, fmt.Sprintf("%s:%d: %d columns: at most %d", s.path, i+1, n, maxColumns))
		}
	}
	return found
}

func TestFunctionLength(t *testing.T) { t.Parallel(); check(t, functionLength) }
func TestFileLength(t *testing.T)     { t.Parallel(); check(t, fileLength) }
func TestParameters(t *testing.T)     { t.Parallel(); check(t, parameters) }
func TestInterfaceSize(t *testing.T)  { t.Parallel(); check(t, interfaceSize) }
func TestColumns(t *testing.T)        { t.Parallel(); check(t, columns) }

func TestLimitsCatch(t *testing.T) {
	t.Parallel()
	lines := func(n int) string { return strings.Repeat("\n", n) }
	for _, c := range []struct {
		rule
		trial
	}{
		{functionLength, trial{
			"x.go", "package x\nfunc long() {" + lines(70) + "}", "function long has 71 lines",
			"package x\nfunc short() {" + lines(69) + "}",
		}},
		{functionLength, trial{
			"x_test.go", "package x\nfunc long() {" + lines(70) + "}", "71 lines",
			"package x\nfunc table() {" + lines(60) + "_ = []int{" + lines(60) + "}" + lines(3) + "}",
		}},
		{fileLength, trial{"x.go", "package x" + lines(501), "501 lines: at most 500", "package x" + lines(500)}},
		{fileLength, trial{"x_test.go", "package x" + lines(801), "801 lines: at most 800", "package x" + lines(800)}},
		{parameters, trial{
			"x.go", "package x\nfunc f(a, b, c int, d, e, f string) {}", "6 parameters",
			"package x\nfunc f(a, b, c int, d, e string) (int, int, int) { return a, b, c }",
		}},
		{parameters, trial{"x.go", "package x\nvar f = func(_, _, _, _, _, _ int) {}", "6 parameters", "package x"}},
		{interfaceSize, trial{
			"x.go", "package x\ntype i interface { a(); b(); c(); d(); e(); f() }", "6 methods",
			"package x\ntype i interface { a(); b(); c(); d(); e() }",
		}},
		{columns, trial{
			"x.go", "package x // " + strings.Repeat("é", 108), "121 columns",
			"package x // " + strings.Repeat("é", 107),
		}},
	} {
		c.run(t, c.rule)
	}
}
