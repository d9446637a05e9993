package testnet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Selector names peers: "3", "4-7", "0, 2", the name of a group, all, or "random: k".
type Selector string

// UnmarshalText takes a selector as it was written, numbers included.
func (s *Selector) UnmarshalText(text []byte) error {
	*s = Selector(text)
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (s Selector) MarshalText() ([]byte, error) { return []byte(s), nil }

// Form is the pattern of the text and an example.
func (Selector) Form() (pattern, example string) { return `^.+$`, "4-7" }

// chooser resolves the selectors of a manifest: "3", "4-7", "0, 2, 4-5", the name of a group, "all",
// or "random: k". Random choices come from its stream, so one seed makes one choice.
type chooser struct {
	count  int
	groups map[string][]int // of the groups resolved so far
	random *rand.Rand
}

// choose returns the peers that a selector names, sorted, each once.
func (c *chooser) choose(selector Selector) ([]int, error) {
	var chosen []int
	for part := range strings.SplitSeq(string(selector), ",") {
		peers, err := c.part(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, peers...)
	}
	slices.Sort(chosen)
	return slices.Compact(chosen), nil
}

func (c *chooser) part(text string) ([]int, error) {
	if members, ok := c.groups[text]; ok {
		return members, nil
	}
	if k, ok := strings.CutPrefix(text, "random:"); ok {
		return c.some(strings.TrimSpace(k))
	}
	if text == "all" {
		return span(0, c.count-1), nil
	}
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	first, err := strconv.Atoi(strings.TrimSpace(low))
	last, errLast := strconv.Atoi(strings.TrimSpace(high))
	if err != nil || errLast != nil {
		return nil, fmt.Errorf("%q names no peer: use a number, a range such as 4-7, "+
			"the name of a group, all, or random: k", text)
	}
	if first > last || last >= c.count {
		return nil, fmt.Errorf("%q is out of range: peers are 0 to %d", text, c.count-1)
	}
	return span(first, last), nil
}

// some draws k different peers.
func (c *chooser) some(text string) ([]int, error) {
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 || k > c.count {
		return nil, fmt.Errorf("random: %q is not a number from 1 to %d", text, c.count)
	}
	return c.random.Perm(c.count)[:k], nil
}

func span(first, last int) []int {
	var peers []int
	for i := first; i <= last; i++ {
		peers = append(peers, i)
	}
	return peers
}
