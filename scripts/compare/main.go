// Command compare prints docs/RECIPES-COMPARED.md: it reads what `starling testnet run --json` printed for
// the grid and its repetitions, from a folder that holds grid.json, held-out.json, mnist.json and real.json.
// scripts/compare.sh makes them and calls it.
//
//	go run ./scripts/compare FOLDER
package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/starling-ml/starling/testnet"
)

//go:embed page.tmpl
var page string

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: compare FOLDER, which scripts/compare.sh fills")
		os.Exit(2)
	}
	if err := compare(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// compare writes the page: every line {{FILE TABLE}} of page.tmpl becomes a table of the results in FILE.json.
func compare(folder string, out io.Writer) error {
	grids := map[string]grid{}
	for line := range strings.Lines(page) {
		words := strings.Fields(strings.Trim(strings.TrimSpace(line), "{}"))
		if !strings.HasPrefix(line, "{{") || len(words) != 2 {
			if _, err := io.WriteString(out, line); err != nil {
				return err
			}
			continue
		}
		g, known := grids[words[0]]
		if !known {
			var err error
			if g, err = readGrid(filepath.Join(folder, words[0]+".json")); err != nil {
				return err
			}
			grids[words[0]] = g
		}
		text, err := g.insert(words[1])
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, text); err != nil {
			return err
		}
	}
	return nil
}

func readGrid(path string) (grid, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return grid{}, err
	}
	var s testnet.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		return grid{}, fmt.Errorf("%s: %w; give what `starling testnet run --json` prints", path, err)
	}
	if s.Partial || len(s.Runs) == 0 {
		return grid{}, fmt.Errorf("%s: %w", path, errors.New("the runs were cut short: continue them with --resume"))
	}
	return newGrid(s.Runs), nil
}
