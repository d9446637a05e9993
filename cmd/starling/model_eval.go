package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/task"
)

// newModelEval returns `starling model eval`.
func newModelEval() *cobra.Command {
	var m model
	cmd := &cobra.Command{
		Use: "eval MODEL", Short: "judge a model on the held-out samples of its task", Args: arguments(1, 1),
		Long: modelLong,
		Example: "  starling model eval agent.checkpoints -f agent.yaml\n" +
			"  starling model eval model.safetensors --set train.task.dataset=mnist",
	}
	m.add(cmd)
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, params, err := m.load(args[0])
		if err != nil {
			return err
		}
		score, err := t.Evaluate(params)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), scored(t, score))
		}
		return printScore(cmd.OutOrStdout(), t, score)
	}
	return cmd
}

// judged is what --json prints.
type judged struct {
	V        int                `json:"v"`
	Dataset  string             `json:"dataset"`
	Model    string             `json:"model"`
	Samples  int                `json:"samples"`
	Loss     *float64           `json:"loss"` // null: not finite
	Accuracy *float64           `json:"accuracy,omitempty"`
	Recall   map[string]float64 `json:"recall,omitempty"`
	RMSE     *float64           `json:"rmse,omitempty"`
}

func scored(t *task.Task, s train.Score) judged {
	out := judged{V: 1, Dataset: t.Spec.Dataset, Model: t.Spec.Model, Samples: s.Samples, Loss: finite(s.Loss)}
	classes := t.Classes()
	if classes == nil {
		out.RMSE = finite(s.RMSE)
		return out
	}
	out.Accuracy, out.Recall = &s.Accuracy, map[string]float64{}
	for i, name := range classes {
		if s.Support[i] > 0 {
			out.Recall[name] = s.Recall[i]
		}
	}
	return out
}

func printScore(w io.Writer, t *task.Task, s train.Score) error {
	fmt.Fprintf(w, "task      %s, %s\nsamples   %d held out\nloss      %.4f\n",
		t.Spec.Dataset, t.Spec.Model, s.Samples, s.Loss)
	classes := t.Classes()
	if classes == nil {
		_, err := fmt.Fprintf(w, "rmse      %.4g\n", s.RMSE)
		return err
	}
	fmt.Fprintf(w, "accuracy  %.4f\n", s.Accuracy)
	for i, name := range classes {
		if s.Support[i] > 0 {
			fmt.Fprintf(w, "recall    %.4f  %s (%d samples)\n", s.Recall[i], name, s.Support[i])
		}
	}
	return nil
}
