package estimate

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteJSON writes the ranking as one object on one line.
func (r *Ranking) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// WriteTable writes the ranking for people.
func (r *Ranking) WriteTable(w io.Writer) error {
	var text strings.Builder
	width := 0
	for _, c := range r.Graphs {
		width = max(width, len(c.Graph))
	}
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "%-*s\tdegree\tspectral gap\tround\tthroughput\tgap x throughput\t\n", width, "graph")
	for _, c := range r.Graphs {
		fmt.Fprintf(table, "%-*s\t%d\t%.3f\t%s\t%.3f\t%.4f\t\n", width, c.Graph, c.Degree, c.Gap, Seconds(c.Round),
			c.Throughput, c.Score)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s%s\n%s\n", text.String(), r.Words, r.Graphs[0].Command)
	return err
}
