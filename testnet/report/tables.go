package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// tables are the figures of a group.
func (g *group) tables() []Table {
	all := []Table{g.targets(), g.results()}
	if classes := g.classes(); len(classes) > 0 {
		all = append(all, g.recall(classes))
	}
	return all
}

// targets is when the average model was first as good as wanted.
func (g *group) targets() Table {
	t := Table{
		Caption: "Time to target",
		Header:  []string{"recipe", "runs", "reached", "median", "95 % interval", "least", "most"},
		Note: "Median over seeds; the interval is that of the median, by bootstrap. A run that did not reach the target " +
			"counts as infinitely late. With fewer than six seeds the interval is no more than the range.",
	}
	n := g.network()
	switch {
	case n != nil && n.Metric != "":
		t.Caption += fmt.Sprintf(": %s of the average model %s %s", n.Metric, comparison(n.Metric), figure(n.Target))
	case n != nil:
		t.Note = "The manifest sets no target."
		return t
	default:
		t.Note += " The target is in config.yaml; if none was set, no run reached it."
	}
	for _, s := range g.series {
		times := s.values("time_to_target_s")
		reached := 0
		for _, v := range times {
			if !math.IsInf(v, 1) {
				reached++
			}
		}
		t.Rows = append(t.Rows, []string{
			s.recipe, strconv.Itoa(len(times)), fmt.Sprintf("%d of %d", reached, len(times)), seconds(median(times)),
			s.interval(times), seconds(slices.Min(times)), seconds(slices.Max(times)),
		})
	}
	return t
}

func comparison(metric string) string {
	if metric == "loss" {
		return "at most"
	}
	return "at least"
}

// interval is the 95 % interval of the median time to the target.
func (s *series) interval(times []float64) string {
	if len(times) < 2 {
		return "one run: none"
	}
	low, high := bootstrap(times, stream("time_to_target_s", s.group.name, s.group.variant, s.recipe))
	if math.IsInf(low, 1) {
		return seconds(low)
	}
	return seconds(low) + " to " + seconds(high)
}

// column is a metric as a column of a table.
type column struct {
	metric, header string
	text           func(float64) string
}

// results are the other figures.
func (g *group) results() Table {
	t := Table{
		Caption: "At the end",
		Header:  []string{"recipe"},
		Note: "Median over seeds, and the range where there are several. Accuracy and loss are means over the peers' own " +
			"models. Influence is the smallest share of a peer in the others' estimates, where 1 is an equal share. " +
			"Gradients lost are local steps that entered no average.",
	}
	columns := []column{
		{"accuracy", "accuracy", percent},
		{"accuracy_min", "worst peer", percent},
		{"loss", "loss", figure},
		{"consensus_distance", "distance", figure},
		{"steps_per_s", "steps/s", figure},
		{"round_s", "round", seconds},
		{"waiting_ratio", "waiting", percent},
		{"influence_min_ratio", "influence", func(v float64) string { return fmt.Sprintf("%.2f", v) }},
		{"sent_bytes", "sent", bytesText},
		{"gradients_lost", "gradients lost", figure},
	}
	if len(g.classes()) == 0 {
		columns = columns[2:]
	}
	for _, c := range columns {
		t.Header = append(t.Header, c.header)
	}
	tuned := slices.ContainsFunc(g.series, func(s *series) bool { return s.tuned() != "" })
	if tuned {
		t.Header = append(t.Header, "tuned")
	}
	for _, s := range g.series {
		row := []string{s.recipe}
		for _, c := range columns {
			row = append(row, ranged(s.values(c.metric), c.text))
		}
		if tuned {
			row = append(row, s.tuned())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// tuned are the settings that were chosen for a recipe on other seeds.
func (s *series) tuned() string { return strings.ReplaceAll(pairs(s.runs[0].result.Tuned), ";", " ") }

// ranged is a median with its range.
func ranged(values []float64, text func(float64) string) string {
	if len(values) == 0 {
		return "not recorded"
	}
	low, high := slices.Min(values), slices.Max(values)
	switch {
	case math.IsNaN(low):
		return "not a number"
	case text(low) == text(high):
		return text(median(values))
	default:
		return fmt.Sprintf("%s (%s to %s)", text(median(values)), text(low), text(high))
	}
}

// recall is the share of each class that is recognised.
func (g *group) recall(classes []string) Table {
	t := Table{
		Caption: "Recall of each class at the end",
		Header:  append([]string{"recipe", "worst"}, classes...),
		Note:    "Median over seeds of the mean over the peers' own models, in per cent.",
	}
	for _, s := range g.series {
		row := []string{s.recipe, ""}
		lowest := math.Inf(1)
		for _, class := range classes {
			values := s.values("recall/" + class)
			if len(values) == 0 {
				row = append(row, "not recorded")
				continue
			}
			m := median(values)
			row = append(row, fmt.Sprintf("%.1f", 100*m))
			if m < lowest {
				lowest = m
				row[1] = fmt.Sprintf("%s: %.1f", class, 100*m)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// overview is the time to the target of all groups and recipes; nil: there is but one group.
func (b *build) overview(recipes []string) *Table {
	if len(b.groups) < 2 {
		return nil
	}
	t := &Table{
		Caption: "Time to target in all networks",
		Header:  append([]string{"network"}, recipes...),
		Note:    "Median over seeds [95 % interval by bootstrap].",
	}
	for _, g := range b.groups {
		row := []string{g.title}
		for _, recipe := range recipes {
			text := "not run"
			for _, s := range g.series {
				if s.recipe == recipe {
					text = s.target()
				}
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// versions is the time to the target of every network and recipe by version of the program; nil: there is
// but one.
func (r *Report) versions() *Table {
	if len(r.builds) < 2 {
		return nil
	}
	t := &Table{
		Caption: "Time to target by version", Header: []string{"network", "recipe"},
		Note: "Median over seeds [95 % interval by bootstrap]. Networks are matched by their names and cases: look at what " +
			"ran whether their settings are the same.",
	}
	row := map[[2]string]int{}
	for i, b := range r.builds {
		t.Header = append(t.Header, b.title())
		for _, g := range b.groups {
			for _, s := range g.series {
				key := [2]string{g.title, s.recipe}
				if _, known := row[key]; !known {
					row[key] = len(t.Rows)
					t.Rows = append(t.Rows, append(key[:], slices.Repeat([]string{"not run"}, len(r.builds))...))
				}
				t.Rows[row[key]][2+i] = s.target()
			}
		}
	}
	return t
}

// target is the median time to the target and its interval.
func (s *series) target() string {
	if n := s.group.network(); n != nil && n.Metric == "" {
		return "no target"
	}
	times := s.values("time_to_target_s")
	if len(times) < 2 {
		return seconds(median(times))
	}
	return seconds(median(times)) + " [" + strings.ReplaceAll(s.interval(times), " to ", ", ") + "]"
}

// runTable has a row for every run.
func (r *Report) runTable() Table {
	t := Table{
		Caption: "All runs", Note: "The same as report.csv, which has more columns.",
		Header: []string{
			"folder", "network", "recipe", "seed", "version", "clock", "time to target", "accuracy", "loss", "sent", "logs",
		},
	}
	for _, b := range r.builds {
		for _, g := range b.groups {
			for _, s := range g.series {
				for _, one := range s.runs {
					t.Rows = append(t.Rows, one.cells(g))
				}
			}
		}
	}
	return t
}

func (r *run) cells(g *group) []string {
	result := &r.result
	time, _ := result.Metric("time_to_target_s")
	logs := "none"
	if r.trace != nil {
		logs = counted(len(r.trace.peers), "peer")
	}
	accuracy := "-"
	if len(result.Recall) > 0 {
		accuracy = percent(result.Accuracy)
	}
	return []string{
		r.job.name, g.title, result.Recipe, strconv.FormatUint(result.Seed, 10), r.job.Meta.Version, g.clock(),
		seconds(time), accuracy, figure(float64(result.Loss)), bytesText(float64(result.SentBytes)), logs,
	}
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// bytesText is a number of bytes for people.
func bytesText(v float64) string {
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if v < 1000 {
			return fmt.Sprintf("%.3g %s", v, unit)
		}
		v /= 1000
	}
	return fmt.Sprintf("%.3g TB", v)
}
