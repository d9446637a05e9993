package testnet

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
)

// Summary is all that a manifest's runs showed: what summary.json holds and --json prints.
type Summary struct {
	V            int       `json:"v"`
	Runs         []Result  `json:"runs"`
	Expectations []Verdict `json:"expectations"`
	// Partial tells that the job ended before all runs were done: expectations were not checked.
	Partial bool `json:"partial,omitempty"`
}

// OK tells whether every expectation held.
func (s *Summary) OK() bool {
	return !slices.ContainsFunc(s.Expectations, func(v Verdict) bool { return !v.OK })
}

// WriteJSON writes the summary as one indented object.
func (s *Summary) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(s)
}

// WriteCSV writes one line a run, with the names of the JSON fields in the first line and one column
// for each class and each swept key.
func (s *Summary) WriteCSV(w io.Writer) error {
	classes, keys := s.columns()
	header := []string{"recipe", "seed", "runtime", "peers"}
	header = append(header, keys...)
	tuned := s.tuned()
	for _, key := range tuned {
		header = append(header, "tuned_"+key)
	}
	header = append(header, Metrics()...)
	for _, class := range classes {
		header = append(header, "recall_"+class)
	}
	out := csv.NewWriter(w)
	if err := out.Write(append(header, "model_hash", "overloaded")); err != nil {
		return err
	}
	for i := range s.Runs {
		if err := out.Write(s.Runs[i].row(classes, keys, tuned)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// columns returns the classes and the swept keys of all runs, sorted.
func (s *Summary) columns() (classes, keys []string) {
	class, key := map[string]bool{}, map[string]bool{}
	for i := range s.Runs {
		for name := range s.Runs[i].Recall {
			class[name] = true
		}
		for name := range s.Runs[i].Sweep {
			key[name] = true
		}
	}
	return slices.Sorted(maps.Keys(class)), slices.Sorted(maps.Keys(key))
}

// tuned returns the tuned keys of all runs, sorted.
func (s *Summary) tuned() []string {
	key := map[string]bool{}
	for i := range s.Runs {
		for name := range s.Runs[i].Tuned {
			key[name] = true
		}
	}
	return slices.Sorted(maps.Keys(key))
}

// row is a run as CSV fields; a target that was not reached is an empty field.
func (r *Result) row(classes, keys, tuned []string) []string {
	row := []string{r.Recipe, strconv.FormatUint(r.Seed, 10), r.Runtime, strconv.Itoa(r.Peers)}
	for _, key := range keys {
		row = append(row, r.Sweep[key])
	}
	for _, key := range tuned {
		row = append(row, r.Tuned[key])
	}
	for _, name := range Metrics() {
		value, ok := r.Metric(name)
		if !ok || (name == "time_to_target_s" && r.TimeToTarget == nil) {
			row = append(row, "")
			continue
		}
		row = append(row, strconv.FormatFloat(value, 'g', -1, 64))
	}
	for _, class := range classes {
		row = append(row, strconv.FormatFloat(r.Recall[class], 'g', -1, 64))
	}
	return append(row, r.ModelHash, strconv.FormatBool(r.Overloaded))
}
