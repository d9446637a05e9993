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
// about recipes that are left out are dropped.
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
	for _, key := range slices.Sorted(maps.Keys(kept)) {
		overrides = append(overrides, override("sweep."+key, "["+strings.Join(kept[key], ", ")+"]"))
	}
	if recipes := kept["train.recipe"]; recipes != nil {
		about, err := json.Marshal(expectedOf(m.Expect, recipes))
		if err != nil {
			return nil, err
		}
		overrides = append(overrides, override("expect", string(about))) // JSON is YAML
	}
	return overrides, nil
}

func override(path, value string) settings.Override {
	return settings.Override{Origin: "--only", Path: path, Value: value}
}

// expectedOf returns the expectations that concern no recipe but these.
func expectedOf(all []testnet.Expectation, recipes []string) []testnet.Expectation {
	about := []testnet.Expectation{}
	for _, e := range all {
		if (e.Recipe == "" || slices.Contains(recipes, e.Recipe)) && (e.Of == "" || slices.Contains(recipes, e.Of)) {
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
