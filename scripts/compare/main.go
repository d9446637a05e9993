// Command compare writes docs/RECIPES-COMPARED.md: it reads the summary of testnet/networks/grid.yaml from
// standard input and prints the comparison as Markdown.
//
//	starling testnet run testnet/networks/grid.yaml --json | go run ./scripts/compare > docs/RECIPES-COMPARED.md
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/starling-ml/starling/testnet"
)

//go:embed page.md
var page string

func main() {
	if err := compare(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// compare reads a summary and writes the page: every line {{name}} of page.md becomes a table.
func compare(in io.Reader, out io.Writer) error {
	var s testnet.Summary
	if err := json.NewDecoder(in).Decode(&s); err != nil {
		return fmt.Errorf("no summary: %w; give what `starling testnet run --json` prints", err)
	}
	g := newGrid(s.Runs)
	if missing := g.missing(); len(missing) > 0 {
		return fmt.Errorf("the summary has no run of %s: run testnet/networks/grid.yaml", strings.Join(missing, ", "))
	}
	for line := range strings.Lines(page) {
		word := strings.TrimSpace(line)
		if !strings.HasPrefix(word, "{{") {
			if _, err := io.WriteString(out, line); err != nil {
				return err
			}
			continue
		}
		text, err := g.insert(strings.Trim(word, "{}"))
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, text); err != nil {
			return err
		}
	}
	return nil
}
