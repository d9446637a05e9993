package testnet

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/internal/settings"
)

const recipeKey = "train.recipe"

// axis is one thing in which the runs of a manifest differ: the case, the recipe, or another swept key.
type axis struct {
	key    string
	values []choice
}

// choice is one value of an axis.
type choice struct {
	key   string
	label string // how results, conditions and --only call it
	set   []settings.Override
}

// combination is one choice of every axis.
type combination []choice

// axes returns what the runs differ in, in a fixed order: the case, the recipe, other keys.
func (m *Manifest) axes() []axis {
	var all []axis
	if len(m.Cases) > 0 {
		cases := axis{key: caseKey}
		for _, c := range m.Cases {
			cases.values = append(cases.values, choice{caseKey, c.Name, c.overrides()})
		}
		all = append(all, cases)
	}
	keys := slices.Sorted(maps.Keys(m.Sweep))
	if at := slices.Index(keys, recipeKey); at > 0 {
		keys = slices.Insert(slices.Delete(keys, at, at+1), 0, recipeKey)
	}
	for _, key := range keys {
		swept := axis{key: key}
		for _, value := range m.Sweep[key] {
			swept.values = append(swept.values, sweptChoice(key, value))
		}
		all = append(all, swept)
	}
	return all
}

// sweptChoice is one value of a swept key. A recipe may be a map: a variant with a name of its own.
func sweptChoice(key string, value settings.Tree) choice {
	c := choice{key: key, label: value.String()}
	over := settings.Override{Origin: "sweep", Path: key, Tree: value}
	if key == recipeKey && value.IsMap() {
		c.label = value.Get("name").String()
		over.Path, over.Tree = "train", value.Without("name")
	}
	c.set = []settings.Override{over}
	return c
}

// labels lists the choices by their names.
func (a axis) labels() []string {
	var all []string
	for _, v := range a.values {
		all = append(all, v.label)
	}
	return all
}

// means tells whether a word names the axis: its key, or any part of it.
func (a axis) means(word string) bool {
	return a.key == word || slices.Contains(strings.Split(a.key, "."), word)
}

// has tells whether a choice has this name.
func (a axis) has(label string) bool { return slices.Contains(a.labels(), label) }

// product returns the combinations of some axes; the last axis changes fastest. Without axes there is
// one empty combination.
func product(axes []axis) []combination {
	all := []combination{nil}
	for _, a := range axes {
		var longer []combination
		for _, c := range all {
			for _, value := range a.values {
				longer = append(longer, append(c[:len(c):len(c)], value))
			}
		}
		all = longer
	}
	return all
}

// overrides are the values of all choices.
func (c combination) overrides() []settings.Override {
	var all []settings.Override
	for _, one := range c {
		all = append(all, one.set...)
	}
	return all
}

// recipe is the name of the recipe that the combination chooses, "" if it leaves it to the manifest.
func (c combination) recipe() string {
	for _, one := range c {
		if one.key == recipeKey {
			return one.label
		}
	}
	return ""
}

// swept returns the names of the choices other than the recipe.
func (c combination) swept() map[string]string {
	values := map[string]string{}
	for _, one := range c {
		if one.key != recipeKey {
			values[one.key] = one.label
		}
	}
	return values
}

// longestLabel keeps names of folders within what file systems take.
const longestLabel = 120

// label names a run among those of its manifest by a file name.
func (c combination) label(recipe string, root uint64) string {
	text := recipe
	for _, one := range c {
		if one.key != recipeKey {
			text += fmt.Sprintf("-%s=%s", lastKey(one.key), one.label)
		}
	}
	if len(text) > longestLabel {
		text = fmt.Sprintf("%s-%x", text[:longestLabel], seed.Derive(0, text))
	}
	return fileName(text + "-" + strconv.FormatUint(root, 10))
}
