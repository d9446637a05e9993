package doctest

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/starling-ml/starling/consensus"
)

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, p := range pages(t) {
		for _, target := range p.targets() {
			if _, err := os.Stat(filepath.Join(root(), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s: no such file", p.path, target)
			}
		}
	}
}

// TestEveryPageIsReachable follows the links from README.md. A link to a folder shows all pages in it.
func TestEveryPageIsReachable(t *testing.T) {
	t.Parallel()
	all := pages(t)
	reached := map[string]bool{}
	var follow func(target string)
	follow = func(target string) {
		for _, p := range all {
			if (p.path == target || path.Dir(p.path) == target) && !reached[p.path] {
				reached[p.path] = true
				for _, next := range p.targets() {
					follow(next)
				}
			}
		}
	}
	follow("README.md")
	for _, p := range all {
		if !reached[p.path] {
			t.Errorf("no way leads from README.md to %s", p.path)
		}
	}
}

func TestEveryRecipeHasItsSectionAndPlot(t *testing.T) {
	t.Parallel()
	text := read(t, "docs/recipes.md")
	recipes := consensus.Recipes()
	if len(recipes) == 0 {
		t.Fatal("no recipes")
	}
	for _, r := range recipes {
		if !strings.Contains(text, "\n## `"+r.Name+"`\n") {
			t.Errorf("docs/recipes.md has no section on %s", r.Name)
		}
		if !strings.Contains(text, "](plots/"+r.Name+".svg)\n") {
			t.Errorf("docs/recipes.md has no plot of %s: scripts/recipe-plots.sh draws it", r.Name)
		}
	}
}

func TestEveryNetworkIsNamed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root(), "testnet", "networks", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no networks: %v", err)
	}
	text := read(t, "README.md")
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); !strings.Contains(text, "`"+name+"`") {
			t.Errorf("README.md does not say what %s shows", file)
		}
	}
}
