package settings

import (
	"fmt"
	"io"

	"github.com/goccy/go-yaml"
)

// Write writes a configuration as YAML that Load reads back. Fields with omitempty are left out when
// they are empty.
func Write(w io.Writer, config any) error {
	text, err := yaml.MarshalWithOptions(config, yaml.Indent(2), yaml.IndentSequence(true))
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	_, err = w.Write(text)
	return err
}
