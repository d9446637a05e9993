package tidy

import (
	"go/scanner"
	"go/token"
	"testing"
)

// minRatio is the least number of lines of test for a line of code in the rooms where a mistake would
// train a wrong model without a sound.
const minRatio = 1.0

// codeLines counts the lines that hold more than a comment.
func codeLines(text []byte) int {
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]struct{}{}
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return len(lines)
		}
		if kind == token.SEMICOLON && literal == "\n" {
			continue // inserted
		}
		lines[file.Line(at)] = struct{}{}
	}
}

func TestRatioOfTestToCode(t *testing.T) {
	t.Parallel()
	for _, room := range []string{"vec", "topology", "consensus", "wire"} {
		code, test := 0, 0
		for _, s := range load(t) {
			switch {
			case s.room() != room:
			case s.isTest():
				test += codeLines(s.text)
			default:
				code += codeLines(s.text)
			}
		}
		if ratio := float64(test) / float64(code); ratio < minRatio {
			t.Errorf("%s has %d lines of code and %d of tests: ratio %.2f, at least %.1f", room, code, test, ratio, minRatio)
		}
	}
}

func TestCodeLines(t *testing.T) {
	t.Parallel()
	const text = "// one\npackage x\n\n/* two\nthree */\nvar a = `raw\nstring` // a\n\nfunc f() {\n}\n"
	if got := codeLines([]byte(text)); got != 4 {
		t.Errorf("%d lines, want 4: package, var, func and brace", got)
	}
}
