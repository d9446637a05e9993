package testnet

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// padding is the space before each column. With short labels, a table is no wider than 80 columns.
const padding = 2

// Style is how a table is printed.
type Style struct {
	Width  int                 // of the terminal in columns; 0: 80
	Repeat func(Result) string // the command that repeats a run
}

// WriteTable prints the summary for people, with medians over seeds: a row for each case and a column
// for each recipe where there are several of both, else one line for each combination. Then it tells of
// the expectations and how to repeat those that failed.
func (s *Summary) WriteTable(w io.Writer, style Style) error {
	write := s.writeLines
	if m := newMatrix(s.Runs); m.compares() {
		write = func(w io.Writer) error { return s.writeMatrix(w, m, style.Width) }
	}
	if err := write(w); err != nil {
		return err
	}
	return s.writeVerdicts(w, style.Repeat)
}

// writeLines prints one line for each recipe and set of swept values.
func (s *Summary) writeLines(w io.Writer) error {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, padding, ' ', tabwriter.AlignRight)
	width := s.labelWidth()
	judged := []string{"accuracy", "worst peer", "worst class"}
	if !s.classify() {
		judged = []string{"loss", "rmse"}
	}
	header := slices.Concat([]string{strings.Repeat(" ", width)}, judged,
		[]string{"steps/s", "waits", "influence", "to target", ""})
	fmt.Fprintln(table, strings.Join(header, "\t"))
	for _, group := range groups(s.Runs) {
		fmt.Fprintln(table, s.line(group, width))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if _, err := io.WriteString(w, line[padding:]); err != nil { // before the labels
			return err
		}
	}
	return nil
}

// classify tells whether the task has classes; models of numbers are judged by their loss.
func (s *Summary) classify() bool {
	classes, _ := s.columns()
	return len(classes) > 0
}

// labelWidth is the length of the longest label; labels start at the left, figures end at the right.
func (s *Summary) labelWidth() int {
	width := 0
	for i := range s.Runs {
		width = max(width, len(s.Runs[i].label()))
	}
	return width
}

// line is the row of runs that differ in the seed alone.
func (s *Summary) line(group []int, width int) string {
	first := &s.Runs[group[0]]
	of := func(metric string) float64 { return median(s.Runs, group, metric) }
	cells := []string{fmt.Sprintf("%-*s", width, first.label())}
	if s.classify() {
		class, recall := s.worstRecall(group)
		cells = append(cells, fmt.Sprintf("%.3f", of("accuracy")), fmt.Sprintf("%.3f", of("accuracy_min")),
			fmt.Sprintf("%.3f (%s)", recall, class))
	} else {
		cells = append(cells, fmt.Sprintf("%.4g", of("loss")), fmt.Sprintf("%.4g", of("rmse")))
	}
	cells = append(cells,
		fmt.Sprintf("%.0f", of("steps_per_s")),
		fmt.Sprintf("%.0f %%", 100*of("waiting_ratio")),
		fmt.Sprintf("%.2f", of("influence_min_ratio")),
		s.timeTo(group),
	)
	if s.overloaded(group) {
		cells[len(cells)-1] += " (overloaded)"
	}
	return strings.Join(cells, "\t") + "\t"
}

// worstRecall returns the class whose median recall is lowest.
func (s *Summary) worstRecall(group []int) (class string, recall float64) {
	recall = math.Inf(1)
	classes, _ := s.columns()
	for _, c := range classes {
		if value := median(s.Runs, group, "recall/"+c); value < recall {
			class, recall = c, value
		}
	}
	return class, recall
}

// timeTo is the median time to the target, with the range over seeds when there are several.
func (s *Summary) timeTo(group []int) string {
	seconds := func(v float64) string {
		if math.IsInf(v, 1) {
			return "-"
		}
		return fmt.Sprintf("%.1f s", v)
	}
	text := seconds(median(s.Runs, group, "time_to_target_s"))
	if len(group) == 1 {
		return text
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, i := range group {
		value, _ := s.Runs[i].Metric("time_to_target_s")
		low, high = min(low, value), max(high, value)
	}
	bare := func(v float64) string { return strings.TrimSuffix(seconds(v), " s") }
	return fmt.Sprintf("%s [%s %s]", text, bare(low), bare(high))
}

func (s *Summary) overloaded(group []int) bool {
	for _, i := range group {
		if s.Runs[i].Overloaded {
			return true
		}
	}
	return false
}

// writeVerdicts prints how the expectations went, the failed ones with a command that repeats them.
func (s *Summary) writeVerdicts(w io.Writer, repeat func(Result) string) error {
	if len(s.Expectations) == 0 {
		return nil
	}
	failed := 0
	for _, v := range s.Expectations {
		if !v.OK {
			failed++
		}
	}
	text := fmt.Sprintf("\nexpectations  %d ok, %d failed\n", len(s.Expectations)-failed, failed)
	for _, v := range s.Expectations {
		if v.OK {
			continue
		}
		text += "  FAILED  " + v.Text + "\n"
		if len(v.Runs) > 0 {
			text += "          repeat:  " + repeat(s.Runs[v.Runs[0]]) + "\n"
		}
	}
	_, err := io.WriteString(w, text)
	return err
}
