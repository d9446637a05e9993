package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// addJSON adds --json to a command that reads something.
func addJSON(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("json", false, "print JSON")
}

// printJSON prints one object on one line of its own. Objects carry "v":1.
func printJSON(w io.Writer, object any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(object)
}

// palette marks words for terminals. No meaning is in the colour alone.
type palette struct{ on bool }

// paletteOf decides by --no-color, NO_COLOR, CLICOLOR_FORCE, and whether the output is a terminal.
func paletteOf(cmd *cobra.Command) palette {
	off, _ := cmd.Flags().GetBool("no-color")
	if off || os.Getenv("NO_COLOR") != "" {
		return palette{}
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return palette{on: true}
	}
	return palette{on: isTerminal(cmd.OutOrStdout())}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// columns is the width of a terminal, 0 where the output is none.
func columns(w io.Writer) int {
	if !isTerminal(w) {
		return 0
	}
	width, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil {
		return 0
	}
	return width
}

// clip cuts a line to a width, so that it takes one row of a terminal and can be written over.
func clip(line string, width int) string {
	runes := []rune(line)
	return string(runes[:min(len(runes), max(0, width))])
}

func (p palette) bold(text string) string { return p.paint("1", text) }

func (p palette) paint(code, text string) string {
	if !p.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// writeTo runs write on the file of that name, which appears only when it is complete, or on standard
// output if the name is empty.
func writeTo(cmd *cobra.Command, name string, write func(io.Writer) error) error {
	if name == "" {
		return write(cmd.OutOrStdout())
	}
	return writeFile(name, write)
}
