package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/testnet/estimate"
	"github.com/starling-ml/starling/train/pace"
)

// question are the flags of `starling topology suggest`, in the forms that manifests have.
type question struct {
	estimate.Question
	law, step, up, latency string
}

// newTopologySuggest returns `starling topology suggest`.
func newTopologySuggest() *cobra.Command {
	var q question
	var format string
	cmd := &cobra.Command{
		Use: "suggest", Short: "rank graphs by how fast peers agree on them, in time", Args: arguments(0, 0),
		Long: "Ranks graphs by spectral gap x throughput: how much nearer to their mean a round\n" +
			"brings the peers, and how many rounds they do. Throughput is from a model of\n" +
			"costs (docs/ESTIMATE.md), relative to peers that never wait. --law is written as\n" +
			"in the section compute of a manifest, where more keys may follow the name.",
		Example: "  starling topology suggest -n 16 --law exponential\n" +
			"  starling topology suggest -n 32 --law trace --up 8Mbit/s --degree-max 8",
	}
	flags := cmd.Flags()
	flags.IntVarP(&q.Peers, "peers", "n", 0, "number of peers")
	flags.IntVar(&q.DegreeMax, "degree-max", 0, "most neighbours of a peer (default any number)")
	flags.StringVar(&q.law, "law", "constant", "law of compute times: "+strings.Join(pace.Kinds(), ", "))
	flags.StringVar(&q.step, "step", "40ms", "time of a normal local step")
	flags.StringVar(&q.up, "up", "0bit/s", "rate of each uplink; 0bit/s: no limit")
	flags.StringVar(&q.latency, "latency", "0s", "latency of each link")
	flags.IntVar(&q.Params, "params", 3610, "parameters of the model")
	flags.IntVar(&q.LocalSteps, "local-steps", 0, "local steps of a block (default that of the recipe)")
	flags.StringVar(&q.Recipe, "recipe", "dpsgd", "recipe by which peers wait for each other")
	flags.Uint64Var(&q.Seed, "seed", 1, "seed of the random graphs")
	flags.StringVar(&format, "format", "text", "text or json")
	completes(cmd, "format", []string{"text", "json"})
	completes(cmd, "law", pace.Kinds())
	completes(cmd, "recipe", settings.Recipe("").Choices())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if format != "text" && format != "json" {
			return notOneOf(format, []string{"text", "json"})
		}
		ranking, err := q.ask(cmd)
		if err != nil {
			return err
		}
		if format == "json" {
			return ranking.WriteJSON(cmd.OutOrStdout())
		}
		return ranking.WriteTable(cmd.OutOrStdout())
	}
	return cmd
}

// ask reads the flags and ranks the graphs.
func (q *question) ask(cmd *cobra.Command) (*estimate.Ranking, error) {
	if q.Peers == 0 {
		return nil, usage("how many peers? %s -n 16", cmd.CommandPath())
	}
	if q.Params < 1 {
		return nil, usage("--params %d: a model has one parameter or more", q.Params)
	}
	if q.LocalSteps < 0 {
		return nil, usage("--local-steps %d: give a positive number, or 0 for the recipe's default", q.LocalSteps)
	}
	if recipes := settings.Recipe("").Choices(); !slices.Contains(recipes, q.Recipe) {
		return nil, notOneOf(q.Recipe, recipes)
	}
	if err := q.read(); err != nil {
		return nil, err
	}
	ranking, err := estimate.Suggest(q.Question)
	if err != nil {
		return nil, exit{exitUsage, err}
	}
	return ranking, nil
}

// anyNetwork is a manifest to which the flags are added.
const anyNetwork = `version: 1
name: any
peers: {count: 2}
train: {task: {dataset: digits, model: softmax}, lr: 1, stop: {time: 1s}}
`

// read takes the words for times and rates as a manifest does.
func (q *question) read() error {
	name, _, _ := strings.Cut(q.law, ",")
	if name = strings.TrimSpace(name); !slices.Contains(pace.Kinds(), name) {
		return notOneOf(name, pace.Kinds())
	}
	loaded, err := testnet.Load(settings.Sources{
		Files: []settings.File{{Name: "suggest", Text: []byte(anyNetwork)}},
		Overrides: []settings.Override{
			{Origin: "--law, --step", Path: "peers.defaults.compute", Value: "{step: " + q.step + ", law: " + q.law + "}"},
			{Origin: "--up", Path: "peers.defaults.link.up", Value: q.up},
			{Origin: "--latency", Path: "peers.defaults.link.latency", Value: q.latency},
		},
	})
	if err != nil {
		return exit{exitUsage, err}
	}
	peer := loaded.Peers.Defaults
	if q.Law, err = peer.Compute.Pace(peer.Compute.Step.Duration); err != nil {
		return exit{exitUsage, err}
	}
	q.Up, q.Latency = 8*float64(peer.Link.Up), peer.Link.Latency.Std().Seconds()
	return nil
}
