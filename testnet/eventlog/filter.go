package eventlog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Filter says which events are wanted. The zero value wants all.
type Filter struct {
	// Peers are names of writers, or at least 8 characters from the start of their identities.
	Peers []string
	// Kinds are kinds or their families: member is member.join, member.leave and member.evict.
	Kinds []string
	// From and To are times of the run's clock, both included; nil: no bound.
	From, To *time.Duration
	// Rounds is wanted if it is not nil: events without a round are not.
	Rounds *Span
}

// Span is a range of rounds, both ends included.
type Span struct{ Low, High uint64 }

// ParseSpan reads "7", "3-9", "3-" or "-9".
func ParseSpan(text string) (Span, error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	s := Span{High: ^uint64(0)}
	var err error
	if low != "" || !isRange {
		s.Low, err = strconv.ParseUint(low, 10, 64)
	}
	if err == nil && (high != "" || !isRange) {
		s.High, err = strconv.ParseUint(high, 10, 64)
	}
	if err != nil || s.Low > s.High || text == "-" {
		return s, fmt.Errorf("%q is no range of rounds: write 7, 3-9, 3- or -9", text)
	}
	return s, nil
}

// shortest is how much of an identity names a peer.
const shortest = 8

// Wants tells whether an event passes.
func (f *Filter) Wants(l *Line) bool {
	return f.wantsPeer(l) && f.wantsKind(l.Kind) &&
		(f.From == nil || l.At >= f.From.Seconds()) && (f.To == nil || l.At <= f.To.Seconds()) &&
		(f.Rounds == nil || l.Round != nil && *l.Round >= f.Rounds.Low && *l.Round <= f.Rounds.High)
}

func (f *Filter) wantsPeer(l *Line) bool {
	return f.Peers == nil || slices.ContainsFunc(f.Peers, func(want string) bool {
		return want == l.Name || want == l.Peer || len(want) >= shortest && strings.HasPrefix(l.Peer, want)
	})
}

func (f *Filter) wantsKind(kind string) bool {
	return f.Kinds == nil || slices.ContainsFunc(f.Kinds, func(want string) bool {
		return want == kind || strings.HasPrefix(kind, want+".")
	})
}

// kinds are those that this program writes.
var kinds = []string{
	"run.start", "run.end", "window", "step", "publish", "mix", "lost", "eval", "straggler.enter", "straggler.leave",
	"member.join", "member.leave", "member.evict", "link", "frame.reject", "checkpoint", "warn", "perturb.begin",
	"perturb.end",
}

// Kinds lists the kinds of events and their families.
func Kinds() []string {
	all := slices.Clone(kinds)
	for _, kind := range kinds {
		if family, _, ok := strings.Cut(kind, "."); ok && !slices.Contains(all, family) {
			all = append(all, family)
		}
	}
	slices.Sort(all)
	return all
}
