package main

import (
	_ "embed" // the template
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/gossip"
)

//go:embed templates/agent.yaml
var agentTemplate string

// agentInit are the flags of `starling agent init`.
type agentInit struct {
	file string
	port uint16
}

// newAgentInit returns `starling agent init`.
func newAgentInit() *cobra.Command {
	var in agentInit
	cmd := &cobra.Command{
		Use: "init [RUN]", Short: "write a configuration and make an identity", Args: arguments(0, 1),
		Long: "Writes a commented configuration and makes the key that is this peer's identity.\n" +
			"Asks nothing, and never writes over a file. Several peers on one machine need\n" +
			"files and ports of their own: --port 0 takes free ones.",
		Example: "  starling agent init digits-lab\n  starling agent init digits-lab -f b.yaml --port 0",
	}
	cmd.Flags().StringVarP(&in.file, "file", "f", "agent.yaml", "file to write")
	cmd.Flags().Uint16Var(&in.port, "port", 4001, "port to listen on; 0 takes a free one")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		run := "my-run"
		if len(args) == 1 {
			run = args[0]
		}
		return in.write(cmd, run)
	}
	return cmd
}

func (in *agentInit) write(cmd *cobra.Command, run string) error {
	if strings.ContainsAny(run, "\n\r#:{}[]\"'") || strings.TrimSpace(run) == "" {
		return usage("run %q: use letters, digits and dashes", run)
	}
	base := strings.TrimSuffix(filepath.Base(in.file), filepath.Ext(in.file))
	keyFile := filepath.Join(filepath.Dir(in.file), base+".key")
	if err := writeNew(in.file, in.text(run, base)); err != nil {
		return err
	}
	key, err := gossip.LoadOrCreateKey(keyFile)
	if err != nil {
		return exit{exitStorage, err}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "wrote  %s and %s\npeer   %s\nnext   starling up -f %s\n",
		in.file, keyFile, key.Peer(), in.file)
	return err
}

// text fills in the template. Files that belong to the peer are named after its configuration, so that
// several peers fit one folder.
func (in *agentInit) text(run, base string) string {
	port, http := strconv.Itoa(int(in.port)), net.JoinHostPort("127.0.0.1", "0")
	if in.port != 0 {
		http = net.JoinHostPort("127.0.0.1", "7777")
	}
	if _, err := strconv.ParseFloat(run, 64); err == nil {
		run = strconv.Quote(run)
	}
	return strings.NewReplacer("RUN", run, "FILE", in.file, "KEY", base+".key", "PORT", port,
		"CHECKPOINTS", base+".checkpoints", "HTTP", http).Replace(agentTemplate)
}

// defaultConfig returns the configuration that a command takes when none is named.
func defaultConfig() []string {
	if _, err := os.Stat("agent.yaml"); err == nil {
		return []string{"agent.yaml"}
	}
	return nil
}
