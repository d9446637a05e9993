package testnet

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/starling-ml/starling/internal/settings"
)

// Case is a variant of a network, such as one slow peer or another split of the data.
type Case struct {
	Name string `yaml:"name" jsonschema:"required"`
	// Description is for people.
	Description string `yaml:"description,omitempty"`
	// Set holds values for keys of the manifest, as --set does: maps are laid over those of the manifest,
	// everything else takes their place.
	Set map[string]settings.Tree `yaml:"set,omitempty"`
}

// caseKey is how results, conditions and --only call the case.
const caseKey = "case"

// caseName keeps names fit for the command line, where commas and equals signs mean something.
var caseName = regexp.MustCompile(`^[^\s,=]+$`)

// overrides are the values of the case, keys that lie above others first.
func (c Case) overrides() []settings.Override {
	var all []settings.Override
	for _, key := range slices.Sorted(maps.Keys(c.Set)) {
		all = append(all, settings.Override{Origin: "case " + c.Name, Path: key, Tree: c.Set[key]})
	}
	return all
}

// checkCases reports names that are no names, and values that nobody would see.
func (l *Loaded) checkCases() {
	seen := map[string]bool{}
	for i, c := range l.Cases {
		path := "cases." + strconv.Itoa(i)
		if !caseName.MatchString(c.Name) {
			l.Document.Problem(path+".name", fmt.Sprintf("%q is no name of a case", c.Name),
				"leave spaces, commas and equals signs out")
		}
		if seen[c.Name] {
			l.Document.Problem(path+".name", fmt.Sprintf("two cases are called %q", c.Name), "rename one")
		}
		seen[c.Name] = true
		for _, key := range slices.Sorted(maps.Keys(c.Set)) {
			l.checkChosen(path+".set."+key, key, "set by a case")
			if _, swept := l.Sweep[key]; swept {
				l.Document.Problem(path+".set."+key, key+" is swept too", "remove one of the two")
			}
		}
	}
}

// neverChosen are keys that say which runs there are.
var neverChosen = []string{
	"sweep", "seeds", "seed", "expect", "output", "version", "name", "cases", "tune", "quick", caseKey,
}

// checkChosen reports a key whose value cannot differ between the runs of one manifest.
func (l *Loaded) checkChosen(path, key, how string) {
	first, _, _ := strings.Cut(key, ".")
	if slices.Contains(neverChosen, first) {
		l.Document.Problem(path, fmt.Sprintf("%s cannot be %s", key, how), "seeds: 5 runs five seeds")
	}
}
