package testnet

import (
	"strconv"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/topology"
)

// Loaded is a manifest without mistakes, and where its values are from.
type Loaded struct {
	*Manifest
	Document  *settings.Document
	graph     *topology.Graph
	sources   settings.Sources
	selection selection
	resume    string // the folder of the runs that are continued, "" for a new one
}

// Load reads and checks a manifest, every combination of its cases and its sweep included. The error
// lists all mistakes, each with its place; warnings are in Document.
func Load(sources settings.Sources) (*Loaded, error) {
	sources.Version = ManifestVersion
	l := load(sources)
	l.checkChoices()
	if err := l.Document.Err(); err != nil {
		return l, err
	}
	for _, c := range l.checked() {
		if err := l.with(c).Document.Err(); err != nil {
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

// checked are the combinations that Load looks at: all of them, with the first candidates of what is
// tuned, and one with all candidates.
func (l *Loaded) checked() []combination {
	all := product(l.axes())
	if l.Tune == nil {
		return all
	}
	candidates := l.Tune.candidates()
	var some []combination
	for _, c := range all {
		some = append(some, c.and(candidates[0]))
	}
	for _, candidate := range candidates[1:] {
		some = append(some, all[0].and(candidate))
	}
	return some
}

// and returns a combination with further choices.
func (c combination) and(more combination) combination { return append(c[:len(c):len(c)], more...) }

// with returns the manifest with one combination in force.
func (l *Loaded) with(c combination) *Loaded {
	sources := l.sources
	sources.Overrides = append(sources.Overrides[:len(sources.Overrides):len(sources.Overrides)], c.overrides()...)
	return load(sources)
}

// WithPeers returns the manifest with another number of peers, narrowed as it is. Groups that name
// peers beyond that number are mistakes.
func (l *Loaded) WithPeers(count int) (*Loaded, error) {
	sources := l.sources
	sources.Overrides = append(sources.Overrides[:len(sources.Overrides):len(sources.Overrides)], settings.Override{
		Origin: "another number of peers", Path: "peers.count", Value: strconv.Itoa(count),
	})
	other, err := Load(sources)
	if err != nil {
		return nil, err
	}
	other.selection = l.selection
	return other, nil
}
