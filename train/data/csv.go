package data

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Table says how to read a CSV file: a header, one column to be learned, numbers in all others.
type Table struct {
	Label      string   // name of the column to be learned
	Regression bool     // the column holds numbers to be predicted, not names of classes
	Classes    []string // the classes in order; nil: those of the file, sorted
	// Raw leaves numbers as they are. Otherwise inputs and regression targets are scaled to mean 0 and
	// deviation 1 over the training part. Peers that hold different files must scale them alike before,
	// give Classes, and set Raw.
	Raw      bool
	Fraction float64 // held out for tests
}

// maxTableClasses tells a column of classes from one of numbers or free text.
const maxTableClasses = 1000

// CSV reads a table from a file, compressed or not. Errors name file, line and column.
func CSV(path string, t Table) (Split, error) {
	f, err := os.Open(path)
	if err != nil {
		return Split{}, fmt.Errorf("read table: %w", err)
	}
	defer f.Close()
	return readTable(filepath.Base(path), f, t)
}

// readTable reads, splits and scales a table.
func readTable(name string, r io.Reader, t Table) (Split, error) {
	c, err := parseTable(name, r, t)
	if err != nil {
		return Split{}, err
	}
	s := &Set{
		Name: name, Columns: c.columns, Classes: c.classes,
		Scaling: same(len(c.columns), identity), Target: identity,
		x: make([]float32, len(c.cells)), y: make([]float32, len(c.targets)),
	}
	split, err := holdOut(s, t.Fraction)
	if err != nil {
		return Split{}, err
	}
	if !t.Raw {
		c.standardise(s, split.Train.rows)
	}
	for i, v := range c.cells {
		s.x[i] = s.Scaling[i%len(c.columns)].Apply(v)
	}
	for i, v := range c.targets {
		s.y[i] = s.Target.Apply(v)
	}
	return split, nil
}

// contents are the numbers of a table before scaling.
type contents struct {
	columns []string  // without the one to be learned
	cells   []float64 // row-major
	targets []float64 // numbers or class indices
	classes []string  // nil for a regression
}

// standardise scales inputs, and the targets of a regression, over the training rows.
func (c *contents) standardise(s *Set, rows []int32) {
	width := len(c.columns)
	for k := range s.Scaling {
		s.Scaling[k] = fit(len(rows), func(i int) float64 { return c.cells[int(rows[i])*width+k] })
	}
	if c.classes == nil {
		s.Target = fit(len(rows), func(i int) float64 { return c.targets[rows[i]] })
	}
}

// parseTable reads all rows.
func parseTable(name string, r io.Reader, t Table) (*contents, error) {
	rows, err := openRows(name, r)
	if err != nil {
		return nil, err
	}
	label := slices.Index(rows.header, t.Label)
	if label < 0 {
		return nil, fmt.Errorf("%s:1: no column %q to be learned: the columns are %s",
			name, t.Label, quoteSome(rows.header))
	}
	c := &contents{columns: slices.Delete(slices.Clone(rows.header), label, label+1)}
	if len(c.columns) == 0 {
		return nil, fmt.Errorf("%s:1: only the column to be learned: add columns to learn it from", name)
	}
	labels := newLabels(t)
	for rows.next() {
		for k := range rows.header {
			if k == label {
				v, err := labels.parse(rows, k)
				if err != nil {
					return nil, err
				}
				c.targets = append(c.targets, v)
				continue
			}
			v, err := rows.number(k)
			if err != nil {
				return nil, err
			}
			c.cells = append(c.cells, v)
		}
	}
	if rows.err != nil {
		return nil, rows.err
	}
	if len(c.targets) == 0 {
		return nil, fmt.Errorf("%s: a header and no rows", name)
	}
	return c, labels.finish(name, c)
}

// labels turns cells of the column to be learned into targets.
type labels struct {
	table Table
	names []string
	index map[string]int
}

func newLabels(t Table) *labels {
	l := &labels{table: t, index: map[string]int{}}
	for i, name := range t.Classes {
		l.names, l.index[name] = append(l.names, name), i
	}
	return l
}

func (l *labels) parse(r *rows, column int) (float64, error) {
	if l.table.Regression {
		return r.number(column)
	}
	cell := r.cell(column)
	i, known := l.index[cell]
	switch {
	case known:
		return float64(i), nil
	case cell == "":
		return 0, r.wrong(column, "empty cell: give every row a class or drop it")
	case l.table.Classes != nil:
		return 0, r.wrong(column, fmt.Sprintf("%q is not one of the classes %s", cell, quoteSome(l.names)))
	case len(l.names) == maxTableClasses:
		return 0, r.wrong(column, fmt.Sprintf("more than %d different values: for numbers use kind: regression",
			maxTableClasses))
	}
	i = len(l.names)
	l.names, l.index[cell] = append(l.names, cell), i
	return float64(i), nil
}

// finish puts the classes in order: as given, by number if all are numbers, or by name.
func (l *labels) finish(name string, c *contents) error {
	if l.table.Regression {
		return nil
	}
	if len(l.names) < 2 {
		return fmt.Errorf("%s: column %q has one class, %s: nothing to tell apart",
			name, l.table.Label, quoteSome(l.names))
	}
	c.classes = l.names
	if l.table.Classes != nil {
		return nil
	}
	c.classes = sorted(l.names)
	to := make([]float64, len(l.names))
	for i, class := range c.classes {
		to[l.index[class]] = float64(i)
	}
	for i, v := range c.targets {
		c.targets[i] = to[int(v)]
	}
	return nil
}

// sorted returns names by number, or by name if one is not a number.
func sorted(names []string) []string {
	byName := slices.Sorted(slices.Values(names))
	value := make(map[string]float64, len(names))
	for _, name := range byName {
		v, err := strconv.ParseFloat(name, 64)
		if err != nil || math.IsNaN(v) {
			return byName
		}
		value[name] = v
	}
	slices.SortStableFunc(byName, func(a, b string) int {
		if value[a] != value[b] {
			if value[a] < value[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return byName
}
