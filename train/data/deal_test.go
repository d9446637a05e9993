package data_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/train/data"
)

func digits(t testing.TB) data.Split {
	t.Helper()
	split, err := data.Digits(0.2)
	if err != nil {
		t.Fatal(err)
	}
	return split
}

// peers returns n copies of a partition.
func peers(n int, p data.Partition) []data.Partition {
	parts := make([]data.Partition, n)
	for i := range parts {
		parts[i] = p
	}
	return parts
}

// prints returns each sample of a shard as a string; those of the digits are all different.
func prints(s data.Shard) []string {
	all := make([]string, s.Len())
	x := make([]float32, s.Features())
	for i := range all {
		y := s.Read(i, x)
		all[i] = fmt.Sprint(x, y)
	}
	return all
}

func TestDealsAreDisjointCompleteAndRepeatable(t *testing.T) {
	t.Parallel()
	split := digits(t)
	want := prints(split.Train)
	slices.Sort(want)
	excl := peers(8, data.Partition{})
	excl[3].OnlyClasses = []string{"7"}
	shared := peers(5, data.Partition{Kind: "dirichlet", Alpha: 0.1})
	shared[0].OnlyClasses, shared[4].OnlyClasses = []string{"1", "2"}, []string{"2"}
	for name, parts := range map[string][]data.Partition{
		"iid":             peers(7, data.Partition{Kind: "iid"}),
		"alone":           peers(1, data.Partition{}),
		"one sample each": peers(1437, data.Partition{}),
		"dirichlet 0.1":   peers(16, data.Partition{Kind: "dirichlet", Alpha: 0.1}),
		"dirichlet tiny":  peers(89, data.Partition{Kind: "dirichlet", Alpha: 0.001}),
		"shards":          peers(9, data.Partition{Kind: "shards", Pieces: 3}),
		"exclusive":       excl,
		"shared owners":   shared,
	} {
		for _, root := range []uint64{1, 2} {
			shards, err := data.Deal(split.Train, parts, root)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			again, err := data.Deal(split.Train, parts, root)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, s := range shards {
				mine := prints(s)
				if !slices.Equal(mine, prints(again[i])) {
					t.Errorf("%s: the second deal gave peer %d other samples", name, i)
				}
				if len(mine) == 0 || parts[0].Kind == "dirichlet" && parts[0].Alpha < 0.01 && len(mine) < 16 {
					t.Errorf("%s: peer %d has %d samples", name, i, len(mine))
				}
				got = append(got, mine...)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s: shards are not the training part, seed %d", name, root)
			}
		}
	}
}

func TestSeedChangesTheDealAndNotTheSplit(t *testing.T) {
	t.Parallel()
	split := digits(t)
	one, err := data.Deal(split.Train, peers(4, data.Partition{}), 1)
	if err != nil {
		t.Fatal(err)
	}
	two, err := data.Deal(split.Train, peers(4, data.Partition{}), 2)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(prints(one[0]), prints(two[0])) {
		t.Error("two seeds deal alike")
	}
}

func TestOwnersHaveTheirClassesAlone(t *testing.T) {
	t.Parallel()
	split := digits(t)
	parts := peers(8, data.Partition{})
	parts[3].OnlyClasses = []string{"7"}
	plain, err := data.Deal(split.Train, peers(8, data.Partition{}), 5)
	if err != nil {
		t.Fatal(err)
	}
	shards, err := data.Deal(split.Train, parts, 5)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range shards {
		count, before := s.Count(), plain[i].Count()
		if want := split.Train.Count()[7]; i == 3 && count[7] != want {
			t.Errorf("the owner has %d of %d sevens", count[7], want)
		}
		if i != 3 && count[7] != 0 {
			t.Errorf("peer %d has %d sevens of peer 3", i, count[7])
		}
		count[7], before[7] = 0, 0
		if !slices.Equal(count, before) {
			t.Errorf("peer %d: other classes %v, want those of the iid deal %v", i, count, before)
		}
	}
}

func TestTwoOwnersShare(t *testing.T) {
	t.Parallel()
	split := digits(t)
	parts := peers(6, data.Partition{})
	parts[1].OnlyClasses, parts[2].OnlyClasses = []string{"0"}, []string{"0"}
	shards, err := data.Deal(split.Train, parts, 5)
	if err != nil {
		t.Fatal(err)
	}
	a, b := shards[1].Count()[0], shards[2].Count()[0]
	if all := split.Train.Count()[0]; a+b != all || max(a, b)-min(a, b) > 1 {
		t.Errorf("owners have %d and %d of %d samples, want halves", a, b, all)
	}
}

func TestIIDDealsEvenly(t *testing.T) {
	t.Parallel()
	shards, err := data.Deal(digits(t).Train, peers(8, data.Partition{}), 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range shards {
		if s.Len() != 1437/8 && s.Len() != 1437/8+1 {
			t.Errorf("peer %d has %d of 1437 samples", i, s.Len())
		}
	}
}

// classesHeld returns the mean number of classes of which a peer has five samples or more.
func classesHeld(t *testing.T, p data.Partition) float64 {
	t.Helper()
	const n = 10
	shards, err := data.Deal(digits(t).Train, peers(n, p), 3)
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, s := range shards {
		for _, count := range s.Count() {
			if count >= 5 {
				held++
			}
		}
	}
	return float64(held) / n
}

func TestPartitionsSkewClasses(t *testing.T) {
	t.Parallel()
	if got := classesHeld(t, data.Partition{Kind: "iid"}); got < 9.5 {
		t.Errorf("iid: %v classes a peer, want 10", got)
	}
	if got := classesHeld(t, data.Partition{Kind: "dirichlet", Alpha: 100}); got < 9.5 {
		t.Errorf("dirichlet 100: %v classes a peer, want 10", got)
	}
	if got := classesHeld(t, data.Partition{Kind: "dirichlet", Alpha: 0.1}); got > 5 {
		t.Errorf("dirichlet 0.1: %v classes a peer, want a few", got)
	}
	if got := classesHeld(t, data.Partition{Kind: "shards"}); got > 4.01 {
		t.Errorf("2 pieces: %v classes a peer, want at most 2 a piece", got)
	}
}

func TestDealRefuses(t *testing.T) {
	t.Parallel()
	split := digits(t)
	mixed := peers(3, data.Partition{})
	mixed[2].Kind = "shards"
	robbed := peers(2, data.Partition{})
	robbed[0].OnlyClasses = split.Train.Classes
	wrong := peers(2, data.Partition{})
	wrong[1].OnlyClasses = []string{"seven"}
	for want, parts := range map[string][]data.Partition{
		"no peers":                    nil,
		"peer 2 has another":          mixed,
		"peer 1 gets none":            robbed,
		`no class "seven"`:            wrong,
		"peer 1437 gets none":         peers(1438, data.Partition{}),
		"too few for 90 peers":        peers(90, data.Partition{Kind: "dirichlet", Alpha: 1}),
		"2000 pieces of 1437 samples": peers(1000, data.Partition{Kind: "shards"}),
		"unknown partition \"dir\"":   peers(2, data.Partition{Kind: "dir"}),
		"alpha 0 of":                  peers(2, data.Partition{Kind: "dirichlet"}),
		"pieces -1":                   peers(2, data.Partition{Kind: "shards", Pieces: -1}),
	} {
		_, err := data.Deal(split.Train, parts, 1)
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, data.ErrUnusable) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestBitsAreTheSameOnEveryAmd64 compares deals with those of another machine.
func TestBitsAreTheSameOnEveryAmd64(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("other architectures agree only with themselves")
	}
	split := digits(t)
	h := fnv.New64a()
	for _, p := range []data.Partition{{}, {Kind: "dirichlet", Alpha: 0.1}, {Kind: "shards"}} {
		shards, err := data.Deal(split.Train, peers(8, p), 42)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float32, 64)
		for _, s := range shards {
			for i := range s.Len() {
				y := s.Read(i, x)
				if err := binary.Write(h, binary.LittleEndian, append(x, y)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if got, want := h.Sum64(), uint64(0x79e7f0eaac78874e); got != want {
		t.Errorf("hash %#x, want %#x", got, want)
	}
}
