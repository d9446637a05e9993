package main

import (
	"fmt"
	"io"

	"github.com/google/renameio/v2"
)

// writeFile writes a file that appears only when it is complete.
func writeFile(name string, write func(io.Writer) error) error {
	file, err := renameio.NewPendingFile(name, renameio.WithPermissions(0o644))
	if err != nil {
		return exit{exitStorage, fmt.Errorf("write %s: %w", name, err)}
	}
	defer file.Cleanup()
	if err := write(file); err != nil {
		return exit{exitStorage, fmt.Errorf("write %s: %w", name, err)}
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return exit{exitStorage, fmt.Errorf("write %s: %w", name, err)}
	}
	return nil
}
