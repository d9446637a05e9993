package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Problem is a mistake in a configuration, or a warning.
type Problem struct {
	Path string // of the value, "" if the place says it all
	What string
	Hint string // what to do, if that is known
	ID   string // of a warning, such as W012

	at position
}

// Problems are all mistakes of a configuration. It is an error.
type Problems []Problem

// Where is the place of the problem: "file:line:column", or the flag or variable that holds the value.
func (p Problem) Where() string {
	if p.at.line == 0 {
		return p.at.source.name
	}
	return fmt.Sprintf("%s:%d:%d", p.at.source.name, p.at.line, p.at.column)
}

// String is the problem in one line.
func (p Problem) String() string {
	text := p.Where() + ": "
	if p.Path != "" {
		text += p.Path + ": "
	}
	if p.ID != "" {
		text += "warning " + p.ID + ": "
	}
	text += p.What
	if p.Hint != "" {
		text += "; " + p.Hint
	}
	return text
}

// snippetWidth is how much of a long line is shown.
const snippetWidth = 120

// snippet is the offending line, or the part of it around the problem, with a caret below it.
func (p Problem) snippet() string {
	if p.at.line == 0 || p.at.line > len(p.at.source.lines) {
		return ""
	}
	line := []rune(strings.TrimRight(p.at.source.lines[p.at.line-1], " \r"))
	column := min(max(p.at.column-1, 0), len(line))
	from := max(0, column-snippetWidth/2)
	if len(line) <= snippetWidth {
		from = 0
	}
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(line[from:column]))
	text := string(line[from:min(len(line), from+snippetWidth)])
	shown := strings.TrimRight(fmt.Sprintf("%4d | %s", p.at.line, text), " ")
	return shown + "\n     | " + indent + "^\n"
}

// MarshalJSON tells the place in fields of their own.
func (p Problem) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Source string `json:"source"`
		Line   int    `json:"line,omitempty"`
		Column int    `json:"column,omitempty"`
		Path   string `json:"path,omitempty"`
		What   string `json:"what"`
		Hint   string `json:"hint,omitempty"`
		ID     string `json:"id,omitempty"`
	}{p.at.source.name, p.at.line, p.at.column, p.Path, p.What, p.Hint, p.ID})
}

// Error is every problem with its line, and how many there are.
func (ps Problems) Error() string {
	count := fmt.Sprintf("%d problems", len(ps))
	if len(ps) == 1 {
		count = "1 problem"
	}
	return ps.String() + count + "; schema: starling config schema"
}

// String is every problem with its line, each ending in a newline.
func (ps Problems) String() string {
	var b strings.Builder
	for _, p := range ps {
		b.WriteString(p.String() + "\n" + p.snippet())
	}
	return b.String()
}

// sorted returns the problems in the order of their layers, lines and columns.
func (ps Problems) sorted() Problems {
	ps = slices.Clone(ps)
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.at.source.order, b.at.source.order),
			cmp.Compare(a.at.line, b.at.line),
			cmp.Compare(a.at.column, b.at.column),
		)
	})
	return ps
}
