package testnet

import (
	"fmt"
	"strconv"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/topology"
)

// Loaded is a manifest without mistakes, and where its values are from.
type Loaded struct {
	*Manifest
	Document *settings.Document
	graph    *topology.Graph
	sources  settings.Sources
}

// Load reads and checks a manifest, every combination of its sweep included. The error lists all
// mistakes, each with its place; warnings are in Document.
func Load(sources settings.Sources) (*Loaded, error) {
	sources.Version = ManifestVersion
	l := load(sources)
	if err := l.Document.Err(); err != nil {
		return l, err
	}
	for _, combination := range l.combinations() {
		if err := l.with(combination).Document.Err(); err != nil {
			return l, err
		}
	}
	return l, nil
}

// load reads one combination and notes its mistakes in the document.
func load(sources settings.Sources) *Loaded {
	m := DefaultManifest()
	l := &Loaded{Manifest: m, sources: sources}
	l.Document = settings.Load(m, sources)
	if !l.Document.Has("topology.seed") {
		m.Topology.Seed = m.Seed
	}
	l.check()
	return l
}

// combination is one value for every swept key.
type combination []settings.Override

// combinations returns the cartesian product of the sweep; the last key changes fastest. Without a
// sweep there is one empty combination.
func (m *Manifest) combinations() []combination {
	all := []combination{nil}
	for _, key := range m.sweepKeys() {
		var longer []combination
		for _, c := range all {
			for _, value := range m.Sweep[key] {
				next := settings.Override{Origin: "sweep", Path: key, Value: string(value)}
				longer = append(longer, append(c[:len(c):len(c)], next))
			}
		}
		all = longer
	}
	return all
}

// with returns the manifest with one combination of its sweep in force.
func (l *Loaded) with(c combination) *Loaded {
	sources := l.sources
	sources.Overrides = append(sources.Overrides[:len(sources.Overrides):len(sources.Overrides)], c...)
	return load(sources)
}

// swept returns the values of a combination other than the recipe.
func (c combination) swept() map[string]string {
	values := map[string]string{}
	for _, o := range c {
		if o.Path != recipeKey {
			values[o.Path] = o.Value
		}
	}
	return values
}

// label names a run among those of its manifest by a file name.
func (c combination) label(recipe string, seed uint64) string {
	text := recipe
	for _, o := range c {
		if o.Path != recipeKey {
			text += fmt.Sprintf("-%s=%s", lastKey(o.Path), o.Value)
		}
	}
	text += "-" + strconv.FormatUint(seed, 10)
	return fileName(text)
}
