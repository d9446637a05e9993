package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ModelFile is the file of a checkpoint that holds the estimate, by tensor.
const ModelFile = "model.safetensors"

// Find returns a checkpoint to be read beside a running peer: that in the folder itself, or the newest
// valid one below it. It takes no lock and changes nothing.
func Find(dir string) (*Loaded, error) {
	if _, err := os.Stat(filepath.Join(dir, manifestName)); !errors.Is(err, fs.ErrNotExist) {
		return (&Store{dir: filepath.Dir(dir)}).load(filepath.Base(dir))
	}
	s := &Store{dir: dir}
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	var reasons []string
	for _, name := range names {
		loaded, err := s.load(name)
		if err == nil {
			return loaded, nil
		}
		reasons = append(reasons, Skipped{name, err.Error()}.String())
	}
	if reasons == nil {
		return nil, fmt.Errorf("%s holds no checkpoint", dir)
	}
	return nil, errors.New(strings.Join(reasons, "\n"))
}
