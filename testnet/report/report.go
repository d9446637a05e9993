// Package report turns the folders that testnets leave into one page, with plots and a table of all runs. It
// shows what the folders hold and says what they do not hold.
package report

import (
	"errors"
	"fmt"
	"strings"
)

// Report is what some folders hold, read and put in order.
type Report struct {
	jobs     []*job
	builds   []*build
	recipes  []string // in the order of their appearance; it decides on their colours
	problems []error  // what could not be read
	notes    []string // what was read, but is not whole or not used
}

// ErrNothing tells that not one run could be read.
var ErrNothing = errors.New("no run to report on")

// Read reads the folders of jobs, and the folders of jobs in them. What cannot be read is kept for the
// report; that nothing can is an error.
func Read(paths ...string) (*Report, error) {
	r := &Report{}
	for _, path := range r.find(paths) {
		j, err := openJob(path)
		if err != nil {
			r.problems = append(r.problems, err)
			continue
		}
		r.jobs = append(r.jobs, j)
		r.problems = append(r.problems, j.problems...)
		r.notes = append(r.notes, j.notes...)
	}
	r.gather()
	if r.Runs() == 0 {
		return nil, fmt.Errorf("%w:\n%w", ErrNothing, errors.Join(r.problems...))
	}
	return r, nil
}

// Runs is the number of runs that the report is about.
func (r *Report) Runs() int {
	count := 0
	for _, b := range r.builds {
		for _, g := range b.groups {
			for _, s := range g.series {
				count += len(s.runs)
			}
		}
	}
	return count
}

// Problems are what could not be read, each with its path and what to do about it.
func (r *Report) Problems() []string {
	var all []string
	for _, err := range r.problems {
		all = append(all, strings.Split(err.Error(), "\n")...)
	}
	return all
}

// Notes are what was read, but is not whole or not used.
func (r *Report) Notes() []string { return r.notes }

// File is one file of a report. Its name has slashes and is relative to the folder of the report.
type File struct {
	Name    string
	Content []byte
}

// Files makes the page, the plots and the table of all runs. Equal folders make equal bytes.
func (r *Report) Files() ([]File, error) {
	table, err := r.csv()
	if err != nil {
		return nil, err
	}
	page, plots, err := r.page()
	if err != nil {
		return nil, err
	}
	return append([]File{{"report.html", page}, {"report.csv", table}}, plots...), nil
}
