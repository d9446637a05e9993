package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/starling-ml/starling/internal/build"
	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/node/checkpoint"
)

// dedicated are the flags of up that stand for a key of the configuration.
var dedicated = []struct {
	flag, path string
	add        func(flags *pflag.FlagSet, name string)
}{
	{"run", "run", word("name of the run")},
	{"name", "name", word("name of this peer, for people")},
	{"listen", "network.listen", words("addresses to listen on")},
	{"announce", "network.announce", words("addresses to tell others")},
	{"peer", "network.peers", words("addresses of peers, ending in /p2p/ID")},
	{"recipe", "train.recipe", word("how peers wait and mix")},
	{"http", "observe.http", word("host:port of metrics and health")},
	{"fresh", "checkpoint.fresh", func(flags *pflag.FlagSet, name string) {
		flags.Bool(name, false, "put earlier checkpoints aside")
	}},
}

func word(usage string) func(*pflag.FlagSet, string) {
	return func(flags *pflag.FlagSet, name string) { flags.String(name, "", usage) }
}

// words is a flag that may be given several times, or with commas; its text is a list in brackets.
func words(usage string) func(*pflag.FlagSet, string) {
	return func(flags *pflag.FlagSet, name string) { flags.StringSlice(name, nil, usage) }
}

// up are the flags of `starling up`.
type up struct {
	inputs
	asJSON  *bool
	log     string
	require time.Duration
}

// newUp returns `starling up`.
func newUp() *cobra.Command {
	var u up
	cmd := &cobra.Command{
		Use: "up", Short: "run this machine's peer until it is stopped", Args: arguments(0, 0),
		Long: "Runs one peer: it listens, finds its neighbours, trains, and resumes from its\n" +
			"last checkpoint. It starts alone if nobody answers. Ctrl-C says goodbye and\n" +
			"saves a checkpoint; a second one ends it at once.",
		Example: "  starling up -f agent.yaml\n  starling up --recipe quorum --set train.lr=0.05",
	}
	u.add(cmd)
	for _, d := range dedicated {
		d.add(cmd.Flags(), d.flag)
	}
	cmd.Flags().StringVar(&u.log, "log-level", "warn", "debug, info, warn or error")
	cmd.Flags().DurationVar(&u.require, "require-peers", 0, "give up with exit code 3 if no peer is reached in this time")
	completes(cmd, "recipe", settings.Recipe("").Choices())
	completes(cmd, "log-level", []string{"debug", "info", "warn", "error"})
	u.asJSON = addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return u.run(cmd) }
	return cmd
}

// overrides are the dedicated flags that were given.
func overrides(flags *pflag.FlagSet) []settings.Override {
	var given []settings.Override
	for _, d := range dedicated {
		if f := flags.Lookup(d.flag); f.Changed {
			given = append(given, settings.Override{Origin: "--" + d.flag, Path: d.path, Value: f.Value.String()})
		}
	}
	return given
}

func (u *up) run(cmd *cobra.Command) error {
	if len(u.files) == 0 {
		u.files = defaultConfig()
	}
	if len(u.files) == 0 {
		return usage("no agent.yaml here: starling agent init writes one, or name a file with -f")
	}
	files, err := u.read()
	if err != nil {
		return err
	}
	sources := u.sources(kindAgent, files)
	sources.Overrides = overrides(cmd.Flags())
	config, document, err := node.Load(sources)
	if err != nil {
		return err
	}
	printWarnings(cmd, document)
	log, err := newLogger(cmd.ErrOrStderr(), u.log)
	if err != nil {
		return err
	}
	info := build.Read()
	n, err := node.Open(config, node.Options{
		Version: info.Version, Revision: info.Revision, ConfigHash: document.Hash(), Log: log,
		Say: func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...) },
	})
	if err != nil {
		return coded(err)
	}
	return u.train(cmd, n)
}

// train runs the node to its end.
func (u *up) train(cmd *cobra.Command, n *node.Node) error {
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	if u.require > 0 {
		go requirePeers(ctx, n, u.require, cancel)
	}
	result, err := n.Run(ctx)
	if lonely := context.Cause(ctx); errors.Is(lonely, errNoPeer) {
		return exit{exitNoPeer, fmt.Errorf("%w within %s", errNoPeer, u.require)}
	}
	if *u.asJSON {
		if err := printJSON(cmd.OutOrStdout(), ended(result)); err != nil {
			return err
		}
	}
	return coded(err)
}

// ended is what up prints as JSON. Without a score the figures are left out.
func ended(r node.Result) any {
	out := struct {
		V        int      `json:"v"`
		Reason   string   `json:"reason"`
		Round    uint64   `json:"round"`
		Steps    uint64   `json:"steps"`
		Loss     *float64 `json:"loss,omitempty"`
		Accuracy *float64 `json:"accuracy,omitempty"`
		RMSE     *float64 `json:"rmse,omitempty"`
	}{V: 1, Reason: r.Reason, Round: r.Round, Steps: r.Steps}
	if s := r.Score; s != nil {
		out.Loss = finite(s.Loss)
		if s.Recall != nil {
			out.Accuracy = &s.Accuracy
		} else {
			out.RMSE = finite(s.RMSE)
		}
	}
	return out
}

var errNoPeer = errors.New("no peer reached")

// requirePeers ends the context unless a neighbour is there before the time is up.
func requirePeers(ctx context.Context, n *node.Node, within time.Duration, cancel context.CancelCauseFunc) {
	deadline := time.After(within)
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-deadline:
			cancel(errNoPeer)
			return
		case <-look.C:
			for _, p := range n.State().Peers {
				if p.Neighbour {
					return
				}
			}
		}
	}
}

// coded gives the errors of a node their exit codes.
func coded(err error) error {
	var file *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, node.ErrData), errors.Is(err, checkpoint.ErrForeign):
		return exit{exitUsage, err}
	case errors.Is(err, node.ErrStorage), errors.As(err, &file):
		return exit{exitStorage, err}
	case errors.Is(err, node.ErrDiverged):
		return exit{exitWorker, err}
	default:
		return err
	}
}
