package testnet

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// matrix compares recipes in several cases: a row for each set of other swept values, a column for each
// recipe.
type matrix struct {
	rows, recipes []string
	groups        map[[2]string][]int // of results, by row and recipe
}

// newMatrix sorts results into a matrix, in the order of first sight.
func newMatrix(results []Result) matrix {
	m := matrix{groups: map[[2]string][]int{}}
	for _, group := range groups(results) {
		first := &results[group[0]]
		row := first.setting()
		if !slices.Contains(m.rows, row) {
			m.rows = append(m.rows, row)
		}
		if !slices.Contains(m.recipes, first.Recipe) {
			m.recipes = append(m.recipes, first.Recipe)
		}
		m.groups[[2]string{row, first.Recipe}] = group
	}
	return m
}

// setting names what differs between rows: the case, and other swept values.
func (r *Result) setting() string {
	var parts []string
	if name, ok := r.Sweep[caseKey]; ok {
		parts = append(parts, name)
	}
	for _, key := range slices.Sorted(maps.Keys(r.Sweep)) {
		if key != caseKey {
			parts = append(parts, lastKey(key)+"="+r.Sweep[key])
		}
	}
	return strings.Join(parts, " ")
}

// compares tells whether there is something to compare in both directions.
func (m matrix) compares() bool { return len(m.rows) > 1 && len(m.recipes) > 1 }

// narrowest is the width of a table where that of the paper or the terminal is unknown.
const narrowest = 80

// write prints one figure of every cell. What is too wide continues below.
func (m matrix) write(w io.Writer, width int, cell func(group []int) string) error {
	margin := 0
	for _, row := range m.rows {
		margin = max(margin, utf8.RuneCountInString(row))
	}
	width = cmp.Or(width, narrowest)
	var text strings.Builder
	for from := 0; from < len(m.recipes); {
		left, to := width-margin, from
		for ; to < len(m.recipes) && (to == from || left >= m.column(to, cell)); to++ {
			left -= m.column(to, cell)
		}
		m.block(&text, margin, m.recipes[from:to], cell)
		from = to
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// block prints some columns.
func (m matrix) block(text *strings.Builder, margin int, recipes []string, cell func(group []int) string) {
	line := func(label string, content func(recipe string) string) {
		row := pad(label, -margin)
		for _, recipe := range recipes {
			row += pad(content(recipe), m.column(slices.Index(m.recipes, recipe), cell))
		}
		text.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	line("", func(recipe string) string { return recipe })
	for _, row := range m.rows {
		line(row, func(recipe string) string { return m.cell(row, recipe, cell) })
	}
}

// cell is empty where nothing was run.
func (m matrix) cell(row, recipe string, cell func(group []int) string) string {
	group := m.groups[[2]string{row, recipe}]
	if group == nil {
		return ""
	}
	return cell(group)
}

// column is the width of a column with the space before it.
func (m matrix) column(i int, cell func(group []int) string) int {
	width := utf8.RuneCountInString(m.recipes[i])
	for _, row := range m.rows {
		width = max(width, utf8.RuneCountInString(m.cell(row, m.recipes[i], cell)))
	}
	return width + padding
}

// pad fills a text with spaces to a width, before it or, if the width is negative, behind it.
func pad(text string, width int) string {
	spaces := func(width int) string { return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text))) }
	if width < 0 {
		return text + spaces(-width)
	}
	return spaces(width) + text
}

// panel is one figure of every cell and what it is.
type panel struct {
	title  string
	figure func(group []int) string
}

// panels are what is told of recipes in several cases.
func (s *Summary) panels() []panel {
	all := []panel{{"loss at the end, median over seeds", func(group []int) string {
		return fmt.Sprintf("%.4g", median(s.Runs, group, "loss"))
	}}}
	if s.aims() {
		all[0] = panel{
			"time to target in seconds, median over seeds [least most]; - is not reached",
			func(group []int) string { return strings.ReplaceAll(s.timeTo(group), " s", "") },
		}
	}
	if s.classify() {
		all = append(all, panel{"recall of the worst class, median over seeds", func(group []int) string {
			class, recall := s.worstRecall(group)
			return fmt.Sprintf("%.3f (%s)", recall, class)
		}})
	}
	for _, key := range s.tuned() {
		all = append(all, panel{key + ", as tuned", func(group []int) string { return s.Runs[group[0]].Tuned[key] }})
	}
	return all
}

// writeMatrix prints the comparison of recipes in several cases.
func (s *Summary) writeMatrix(w io.Writer, m matrix, width int) error {
	for i, p := range s.panels() {
		if i > 0 {
			p.title = "\n" + p.title
		}
		if _, err := io.WriteString(w, p.title+"\n"); err != nil {
			return err
		}
		if err := m.write(w, width, p.figure); err != nil {
			return err
		}
	}
	return nil
}

// aims tells whether any run has reached its target.
func (s *Summary) aims() bool {
	return slices.ContainsFunc(s.Runs, func(r Result) bool {
		at, _ := r.Metric("time_to_target_s")
		return !math.IsInf(at, 1)
	})
}
