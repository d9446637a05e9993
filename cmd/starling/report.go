package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	reports "github.com/starling-ml/starling/testnet/report"
)

// newReport returns `starling report`.
func newReport() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "report DIR...", Short: "a page with plots from the folders of runs", Args: cobra.ArbitraryArgs,
		Long: "Reads the folders that starling testnet run left, or folders of such folders,\n" +
			"and writes into the first of them:\n" +
			"  report.html   one page that opens offline, with every plot in it\n" +
			"  report.csv    one row for each run\n" +
			"  plots/        the plots as SVG and PNG\n" +
			"Runs of other versions of the program stay apart. A run that cannot be read is\n" +
			"named on the page and left out. The same runs give the same bytes.",
		Example: "  starling report runs/2026-11-30T22-31-09-stragglers\n" +
			"  starling report runs/monday runs/tuesday -o compared",
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "folder for the report (default the first DIR)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("an argument is missing: starling report DIR...")
		}
		if output == "" {
			output = args[0]
		}
		return writeReport(cmd, args, output)
	}
	return cmd
}

// writeReport writes the files of a report, tells what could not be read, and says where the page is.
func writeReport(cmd *cobra.Command, paths []string, folder string) error {
	r, err := reports.Read(paths...)
	if errors.Is(err, reports.ErrNothing) {
		return usage("%w", err)
	}
	if err != nil {
		return err
	}
	for _, problem := range r.Problems() {
		fmt.Fprintf(cmd.ErrOrStderr(), "left out  %s\n", problem)
	}
	for _, note := range r.Notes() {
		fmt.Fprintf(cmd.ErrOrStderr(), "note  %s\n", note)
	}
	files, err := r.Files()
	if err != nil {
		return err
	}
	plots := 0
	for _, file := range files {
		name := filepath.Join(folder, filepath.FromSlash(file.Name))
		if err := writeReported(name, file.Content); err != nil {
			return err
		}
		if filepath.Ext(name) == ".svg" {
			plots++
		}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "report  %s   (%s, %s, and report.csv)\n",
		filepath.Join(folder, "report.html"), counted(r.Runs(), "run"), counted(plots, "plot"))
	return nil
}

func writeReported(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return exit{exitStorage, fmt.Errorf("make the folder of a report: %w; give another one by --output", err)}
	}
	return writeFile(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
