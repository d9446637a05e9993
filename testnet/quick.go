package testnet

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/starling-ml/starling/internal/settings"
)

// Quick is a part of the runs of a manifest, for a first look. What it does not say is as in the manifest.
type Quick struct {
	// Cases are the names of the cases that are run.
	Cases []settings.Word `yaml:"cases,omitempty"`
	// Sweep holds some of the values of swept keys: the names of variants of recipes, and others as they
	// are written.
	Sweep map[string][]settings.Word `yaml:"sweep,omitempty"`
	// Seeds is the number of seeds.
	Seeds int `yaml:"seeds,omitempty" jsonschema:"minimum=0,maximum=10000"`
	// Tune replaces what it holds of the section tune.
	Tune *Tune `yaml:"tune,omitempty"`
}

// selection says which runs of a manifest are run.
type selection struct {
	args   []string            // of the command line that chose them
	labels map[string][]string // by the key of an axis; absent: all
	seed   *uint64             // the only one; nil: all
}

// Only narrows a manifest to what some terms name: values of any swept key or cases, or key=value where
// the key may be any part of a swept key, as in step=10x. Several values of one key are all kept.
// Expectations about runs that are left out are not checked.
func (l *Loaded) Only(terms ...string) error {
	kept := map[string][]string{}
	for _, term := range terms {
		part, value, ok := strings.Cut(term, "=")
		if !ok {
			part, value = "", term
		}
		at := slices.IndexFunc(l.chosenAxes(), func(a axis) bool {
			return (part == "" || a.means(part)) && a.has(value)
		})
		if at < 0 {
			return fmt.Errorf("%s: no swept key has this value; swept are %s", term, l.sweptWords())
		}
		key := l.chosenAxes()[at].key
		kept[key] = append(kept[key], value)
		l.selection.args = append(l.selection.args, "--only "+quoted(term))
	}
	l.choose(kept)
	return nil
}

// OnlySeed narrows a manifest to one seed.
func (l *Loaded) OnlySeed(seed uint64) {
	l.selection.seed = &seed
	l.selection.args = append(l.selection.args, fmt.Sprintf("--seed %d", seed))
}

// Quickly narrows a manifest to its section quick.
func (l *Loaded) Quickly() error {
	q := l.Quick
	if q == nil {
		return errors.New("the manifest has no section quick: say there which part is run")
	}
	l.selection.args = append(l.selection.args, "--quick")
	kept := map[string][]string{}
	if q.Cases != nil {
		kept[caseKey] = settings.Words(q.Cases)
	}
	for key, values := range q.Sweep {
		kept[key] = settings.Words(values)
	}
	l.choose(kept)
	l.Seeds = cmp.Or(q.Seeds, l.Seeds)
	if q.Tune != nil {
		tune := Tune{}
		if l.Tune != nil {
			tune = *l.Tune
		}
		l.Document.Overlay("quick.tune", &tune)
		l.Tune = &tune
	}
	return nil
}

func (l *Loaded) choose(kept map[string][]string) {
	labels := maps.Clone(l.selection.labels)
	if labels == nil {
		labels = map[string][]string{}
	}
	maps.Copy(labels, kept)
	l.selection.labels = labels
}

// chosenAxes are the axes with the choices that are run.
func (l *Loaded) chosenAxes() []axis {
	axes := l.axes()
	for i, a := range axes {
		kept, narrowed := l.selection.labels[a.key]
		if !narrowed {
			continue
		}
		axes[i].values = slices.DeleteFunc(a.values, func(c choice) bool { return !slices.Contains(kept, c.label) })
	}
	return axes
}

// seeds are those of the reporting runs.
func (l *Loaded) seeds() []uint64 {
	if l.selection.seed != nil {
		return []uint64{*l.selection.seed}
	}
	var all []uint64
	for i := range l.Seeds {
		all = append(all, l.Seed+uint64(i))
	}
	return all
}

func (l *Loaded) sweptWords() string {
	var words []string
	for _, a := range l.chosenAxes() {
		words = append(words, fmt.Sprintf("%s (%s)", a.key, strings.Join(a.labels(), ", ")))
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, ", ")
}

// checkQuick reports names that the manifest does not have.
func (l *Loaded) checkQuick() {
	q := l.Quick
	if q == nil {
		return
	}
	for _, a := range l.axes() {
		path, names := "quick.sweep."+a.key, settings.Words(q.Sweep[a.key])
		if a.key == caseKey {
			path, names = "quick.cases", settings.Words(q.Cases)
		}
		for _, name := range names {
			l.Document.OneOf(path, name, a.labels())
		}
	}
	for _, key := range slices.Sorted(maps.Keys(q.Sweep)) {
		if _, swept := l.Sweep[key]; !swept {
			l.Document.Problem("quick.sweep."+key, key+" is not swept", "name a key of sweep")
		}
	}
	if q.Cases != nil && l.Cases == nil {
		l.Document.Problem("quick.cases", "there are no cases", "remove it")
	}
}
