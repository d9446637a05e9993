package testnet

import (
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/internal/seed"
)

func testChooser(seedValue uint64) *chooser {
	return &chooser{count: 8, groups: map[string][]int{"homes": {4, 5}}, random: seed.Stream(seedValue, "choose")}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for selector, want := range map[Selector][]int{
		"3": {3}, "4-7": {4, 5, 6, 7}, " 4 - 5 ": {4, 5}, "all": {0, 1, 2, 3, 4, 5, 6, 7},
		"homes": {4, 5}, "homes, 1, 5-6": {1, 4, 5, 6}, "7, 0": {0, 7},
	} {
		got, err := testChooser(1).choose(selector)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q chooses %v (%v), expected %v", selector, got, err, want)
		}
	}
}

func TestChooseAtRandom(t *testing.T) {
	t.Parallel()
	first, err := testChooser(1).choose("random: 3")
	if err != nil || len(first) != 3 || !slices.IsSorted(first) {
		t.Fatalf("%v, %v", first, err)
	}
	again, _ := testChooser(1).choose("random: 3")
	if !slices.Equal(first, again) {
		t.Error("one seed gives two choices")
	}
	differs := false
	for s := range uint64(10) {
		other, _ := testChooser(s + 2).choose("random: 3")
		differs = differs || !slices.Equal(first, other)
	}
	if !differs {
		t.Error("ten other seeds choose the same peers")
	}
}

func TestChooseRefuses(t *testing.T) {
	t.Parallel()
	for selector, reason := range map[Selector]string{
		"8": "out of range", "5-8": "out of range", "5-3": "out of range", "": "names no peer",
		"home": "names no peer", "-1": "names no peer", "random: 0": "1 to 8", "random: 9": "1 to 8",
		"random: x": "1 to 8", "3,,4": "names no peer",
	} {
		if _, err := testChooser(1).choose(selector); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v, expected %q", selector, err, reason)
		}
	}
}
