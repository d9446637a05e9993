package main

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/train/task"
)

// newModelPredict returns `starling model predict`.
func newModelPredict() *cobra.Command {
	var m model
	cmd := &cobra.Command{
		Use: "predict MODEL CSV", Short: "say what a model makes of the rows of a CSV file", Args: arguments(2, 2),
		Long:    modelLong + "\nThe CSV file has a header with the columns that the model was trained on, in\nany order.",
		Example: "  starling model predict agent.checkpoints new.csv -f agent.yaml > answers.csv",
	}
	m.add(cmd)
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, params, err := m.load(args[0])
		if err != nil {
			return err
		}
		rows, err := t.Rows(args[1])
		if err != nil {
			return exit{exitUsage, err}
		}
		predictions, err := t.Predict(params, rows)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), answers(t, predictions))
		}
		return writeAnswers(cmd.OutOrStdout(), t, predictions)
	}
	return cmd
}

// answer is what --json prints for a row.
type answer struct {
	Class       string   `json:"class,omitempty"`
	Probability *float64 `json:"probability,omitempty"`
	Value       *float64 `json:"value,omitempty"`
}

func answers(t *task.Task, all []task.Prediction) any {
	out := struct {
		V           int      `json:"v"`
		Predictions []answer `json:"predictions"`
	}{V: 1, Predictions: []answer{}}
	for _, p := range all {
		if t.Classes() == nil {
			out.Predictions = append(out.Predictions, answer{Value: finite(p.Value)})
		} else {
			out.Predictions = append(out.Predictions, answer{Class: p.Class, Probability: finite(p.Probability)})
		}
	}
	return out
}

// writeAnswers writes one line of CSV a row, in the order of the rows.
func writeAnswers(w io.Writer, t *task.Task, all []task.Prediction) error {
	out := csv.NewWriter(w)
	header := []string{"class", "probability"}
	if t.Classes() == nil {
		header = []string{"value"}
	}
	if err := out.Write(header); err != nil {
		return err
	}
	for _, p := range all {
		row := []string{p.Class, strconv.FormatFloat(p.Probability, 'f', 4, 64)}
		if t.Classes() == nil {
			row = []string{strconv.FormatFloat(p.Value, 'g', 6, 64)}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
