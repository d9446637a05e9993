package data

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// rows walks through a CSV file with a header.
type rows struct {
	name   string
	header []string
	reader *csv.Reader
	record []string
	count  int
	err    error
}

// openRows reads the header.
func openRows(name string, r io.Reader) (*rows, error) {
	r, err := inflate(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rs := &rows{name: name, reader: csv.NewReader(r)}
	rs.reader.FieldsPerRecord = -1 // checked here, with a better message
	rs.reader.ReuseRecord = true
	header, err := rs.reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: empty: the first line must name the columns", name)
	}
	if err != nil {
		return nil, rs.broken(err)
	}
	if len(header) > maxFeatures {
		return nil, fmt.Errorf("%s:1: %d columns, at most %d are read", name, len(header), maxFeatures)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff") // byte order mark of spreadsheets
	seen := map[string]bool{}
	for i, column := range header {
		column = strings.TrimSpace(column)
		if column == "" {
			return nil, fmt.Errorf("%s:1: column %d has no name", name, i+1)
		}
		if seen[column] {
			return nil, fmt.Errorf("%s:1: two columns are named %q", name, column)
		}
		seen[column] = true
		rs.header = append(rs.header, column)
	}
	return rs, nil
}

// next reads the next row; at the end, or with err set, it returns false.
func (r *rows) next() bool {
	record, err := r.reader.Read()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			r.err = r.broken(err)
		}
		return false
	}
	r.record = record
	r.count++
	switch {
	case len(record) != len(r.header):
		r.err = fmt.Errorf("%s:%d: %d cells, but the header names %d columns",
			r.name, r.line(0), len(record), len(r.header))
	case r.count > maxRows || r.count*len(r.header) > maxCells:
		r.err = fmt.Errorf("%s:%d: too large: at most %d rows and %d cells are read",
			r.name, r.line(0), maxRows, maxCells)
	}
	return r.err == nil
}

// cell returns the text of a cell of the current row.
func (r *rows) cell(column int) string { return strings.TrimSpace(r.record[column]) }

// number returns the value of a cell of the current row.
func (r *rows) number(column int) (float64, error) {
	cell := r.cell(column)
	v, err := strconv.ParseFloat(cell, 64)
	switch {
	case cell == "":
		return 0, r.wrong(column, "empty cell: fill it in or drop the row")
	case errors.Is(err, strconv.ErrSyntax):
		return 0, r.wrong(column, fmt.Sprintf("%q is not a number: turn text into numbers or drop the column", cell))
	case err != nil || math.IsNaN(v) || math.Abs(v) > math.MaxFloat32:
		return 0, r.wrong(column, fmt.Sprintf("%q is not a finite 32-bit number: fill it in or drop the row", cell))
	}
	return v, nil
}

// wrong returns an error about a cell of the current row.
func (r *rows) wrong(column int, what string) error {
	return fmt.Errorf("%s:%d: column %q: %s", r.name, r.line(column), r.header[column], what)
}

// line returns the line of a cell of the current row.
func (r *rows) line(column int) int {
	line, _ := r.reader.FieldPos(column)
	return line
}

// broken turns an error of the CSV reader into one with file, line and column.
func (r *rows) broken(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s:%d:%d: %w", r.name, parse.Line, parse.Column, parse.Err)
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// ReadRows reads the named columns of a CSV file with a header, unscaled and in the order of columns;
// other columns are skipped. These are the rows that a model can be asked about.
func ReadRows(path string, columns []string) ([][]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	defer f.Close()
	r, err := openRows(filepath.Base(path), f)
	if err != nil {
		return nil, err
	}
	at := make([]int, len(columns))
	for i, column := range columns {
		if at[i] = slices.Index(r.header, column); at[i] < 0 {
			return nil, fmt.Errorf("%s:1: no column %q, which the model was trained on: the columns are %s",
				r.name, column, quoteSome(r.header))
		}
	}
	var all [][]float64
	for r.next() {
		row := make([]float64, len(columns))
		for i := range columns {
			if row[i], err = r.number(at[i]); err != nil {
				return nil, err
			}
		}
		all = append(all, row)
	}
	return all, r.err
}
