package mnist

import (
	"path/filepath"
	"testing"
)

func TestBothWaysLeadToTheFiles(t *testing.T) {
	t.Parallel()
	for name, find := range map[string]func() string{"source": besideSource, "module cache": moduleCache} {
		folder := find()
		if !filepath.IsAbs(folder) && name == "source" {
			continue // built with -trimpath
		}
		if !holdsData(folder) {
			t.Errorf("%s: no MNIST in %q", name, folder)
		}
	}
}
