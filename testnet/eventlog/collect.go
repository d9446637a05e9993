package eventlog

import (
	"bytes"
	"slices"
)

// Selected are the events of one run that a filter wants, in the order of time.
type Selected struct {
	Run   string // its folder
	Lines []Line
}

// Collect reads logs, which are sorted by run, and merges those of each run. It holds what the filter wants
// in memory. told is called for each file in which lines were skipped.
func Collect(logs []Log, filter *Filter, told func(file string, torn Torn)) ([]Selected, error) {
	var all []Selected
	for i := range logs {
		l := &logs[i]
		if len(all) == 0 || all[len(all)-1].Run != l.Run {
			all = append(all, Selected{Run: l.Run})
		}
		run := &all[len(all)-1]
		err := l.Read(func(line Line) error {
			if filter.Wants(&line) {
				line.Raw = bytes.Clone(line.Raw)
				run.Lines = append(run.Lines, line)
			}
			return nil
		}, told)
		if err != nil {
			return nil, err
		}
	}
	for i := range all {
		slices.SortStableFunc(all[i].Lines, func(a, b Line) int { return a.Stamp.Compare(b.Stamp) })
	}
	return all, nil
}
