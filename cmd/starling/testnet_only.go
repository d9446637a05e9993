package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/testnet"
)

// oneSeed returns the pairs that run a manifest with one seed.
func oneSeed(seed uint64) []string { return []string{fmt.Sprintf("seed=%d", seed), "seeds=1"} }

// pick narrows a manifest to what --only names: values of any swept key, or key=value where the key may
// be any part of a swept key, such as step=10x. Several values of one key are all kept. Expectations
// about runs that are left out are dropped.
func pick(m *testnet.Manifest, only []string) ([]settings.Override, error) {
	kept := map[string][]string{}
	for _, term := range only {
		key, ok := sweptBy(m.Sweep, term)
		if !ok {
			return nil, usage("--only %s: no swept key has this value; swept are %s", term, sweptWords(m.Sweep))
		}
		_, value := splitTerm(term)
		kept[key] = append(kept[key], value)
	}
	var overrides []settings.Override
	left := maps.Clone(m.Sweep)
	for _, key := range slices.Sorted(maps.Keys(kept)) {
		overrides = append(overrides, override("sweep."+key, "["+strings.Join(kept[key], ", ")+"]"))
		left[key] = nil
		for _, value := range kept[key] {
			left[key] = append(left[key], settings.Word(value))
		}
	}
	if len(kept) == 0 || len(m.Expect) == 0 {
		return overrides, nil
	}
	about, err := json.Marshal(expectedOf(m.Expect, left))
	if err != nil {
		return nil, err
	}
	return append(overrides, override("expect", string(about))), nil // JSON is YAML
}

func override(path, value string) settings.Override {
	return settings.Override{Origin: "--only", Path: path, Value: value}
}

// expectedOf returns the expectations that concern no runs but those of a sweep.
func expectedOf(all []testnet.Expectation, sweep map[string][]settings.Word) []testnet.Expectation {
	about := []testnet.Expectation{}
	recipes, swept := sweep["train.recipe"]
	runs := func(recipe string) bool {
		return recipe == "" || !swept || slices.Contains(recipes, settings.Word(recipe))
	}
	for _, e := range all {
		if runs(e.Recipe) && runs(e.Of) && e.Concerns(sweep) {
			about = append(about, e)
		}
	}
	return about
}

// sweptBy finds the key that a term means.
func sweptBy(sweep map[string][]settings.Word, term string) (string, bool) {
	part, value := splitTerm(term)
	for _, key := range slices.Sorted(maps.Keys(sweep)) {
		named := part == "" || key == part || slices.Contains(strings.Split(key, "."), part)
		if named && slices.Contains(sweep[key], settings.Word(value)) {
			return key, true
		}
	}
	return "", false
}

func splitTerm(term string) (part, value string) {
	part, value, ok := strings.Cut(term, "=")
	if !ok {
		return "", term
	}
	return part, value
}

func sweptWords(sweep map[string][]settings.Word) string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(sweep)) {
		words = append(words, fmt.Sprintf("%s (%s)", key, strings.Join(settings.Words(sweep[key]), ", ")))
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, ", ")
}
