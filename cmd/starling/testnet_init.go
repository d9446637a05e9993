package main

import (
	_ "embed" // the template
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed templates/testnet.yaml
var testnetTemplate string

// newTestnetInit returns `starling testnet init`.
func newTestnetInit() *cobra.Command {
	return &cobra.Command{
		Use: "init [FILE]", Short: "write a manifest to be edited", Args: arguments(0, 1),
		Long: "Writes a commented manifest (default stragglers.yaml): eight peers, one of them\n" +
			"slow, three recipes to compare. Asks nothing; never writes over a file.",
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "stragglers.yaml"
			if len(args) == 1 {
				name = args[0]
			}
			title := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
			if err := writeNew(name, strings.ReplaceAll(testnetTemplate, "NAME", title)); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\nnext   starling testnet run %s\n", name, name)
			return err
		},
	}
}

// writeNew writes a file that must not exist.
func writeNew(name, text string) error {
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return usage("%s exists: move it away, or give another name", name)
	}
	return writeFile(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
