package estimate

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteJSON writes the report as one object on one line.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	var text strings.Builder
	for i := range r.Runs {
		if i > 0 {
			text.WriteString("\n")
		}
		if err := r.Runs[i].write(&text); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// title names the run and its messages.
func (g *Growth) title() string {
	name := g.Recipe
	for _, key := range slices.Sorted(maps.Keys(g.Sweep)) {
		name += " " + key + "=" + g.Sweep[key]
	}
	if g.Refused != "" {
		return name
	}
	own := g.Rows[g.own]
	links := "uplinks without a limit"
	if own.Rate > 0 {
		links = "uplinks of " + Bits(own.Rate)
	}
	return fmt.Sprintf("%s on %s: %.0f bytes a message, %s, latency %s", name, g.Topology, own.MessageSize, links,
		Seconds(own.Latency))
}

func (g *Growth) write(text *strings.Builder) error {
	text.WriteString(g.title() + "\n")
	if g.Refused != "" {
		text.WriteString("  " + g.Refused + "\n")
		return nil
	}
	table := tabwriter.NewWriter(text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, strings.Join([]string{
		"peers", "degree", "round", "train", "wait", "links", "sending", "blocks/s each", "in all", "gradients/s", "",
	}, "\t"))
	for _, f := range g.Rows {
		fmt.Fprintf(table, "%d\t%.3g\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", f.Peers, f.Degree, Seconds(f.Round),
			f.part(f.Compute), f.part(f.Waiting), f.part(f.Communication), Seconds(f.Sending),
			number(f.PeerBlocks), number(f.Blocks), number(f.Gradients))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, words := range g.Words {
		text.WriteString("  " + words + "\n")
	}
	for _, o := range g.Omitted {
		first, _, _ := strings.Cut(o.Why, "\n")
		fmt.Fprintf(text, "  %d peers are left out: %s\n", o.Peers, first)
	}
	return nil
}

// part is a share of the round.
func (f Figures) part(of float64) string { return fmt.Sprintf("%.0f %%", 100*of/f.Round) }

// number prints three digits, never as a power of ten.
func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
