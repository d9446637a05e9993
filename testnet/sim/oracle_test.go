package sim_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/starling-ml/starling/consensus"
)

// Recipes by the names of the study.
var (
	dpsgd      = consensus.Options{Recipe: "dpsgd"}
	barrier    = consensus.Options{Recipe: "barrier"}
	quorum2    = consensus.Options{Recipe: "quorum", Quorum: 2, Weights: consensus.Constant}
	quorum2Inv = consensus.Options{Recipe: "quorum", Quorum: 2}
	quorum2New = consensus.Options{Recipe: "quorum", Quorum: 2, Weights: consensus.Constant, Mix: consensus.Fresh}
	backup75   = consensus.Options{Recipe: "backup", Mix: consensus.Mutual, Late: consensus.Skip}
	pulse      = consensus.Options{Recipe: "pulse"}
	auto       = consensus.Options{Recipe: "auto"}
	unscaled   = consensus.Options{Recipe: "pulse", Pulse: &consensus.PulseOptions{MaxPieces: 1}}
	jump       = consensus.Options{Recipe: "pulse", Pulse: &consensus.PulseOptions{MaxPieces: 4, Jump: true}}
	noMid      = consensus.Options{Recipe: "pulse", Pulse: &consensus.PulseOptions{NoMidBlock: true}}
)

// seedsOf returns n seeds: a few in short mode, as many as STARLING_SEEDS says if it is set. The
// claims of the study were made with ten.
func seedsOf(n int) []uint64 {
	if testing.Short() {
		n = 3
	}
	if asked, err := strconv.Atoi(os.Getenv("STARLING_SEEDS")); err == nil && asked > 0 {
		n = asked
	}
	var seeds []uint64
	for i := range n {
		seeds = append(seeds, uint64(101+i))
	}
	return seeds
}

// capacity is how much longer training must take because peer 3 is ten times slower.
const capacity = 8 / 7.1

// between checks a ratio of the study.
func between(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	t.Logf("%s: %.2f", what, got)
	if !(got >= low && got <= high) {
		t.Errorf("%s is %.3f, expected %g to %g", what, got, low, high)
	}
}

var inf = math.Inf(1)

// heavy marks tests that simulate for seconds in one goroutine, where there is no race to be found.
func heavy(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("takes minutes with -race; run it without")
	}
	t.Parallel()
}

// Data dealt evenly, with and without a peer that is ten times slower.
func TestStudyIID(t *testing.T) {
	heavy(t)
	seeds := seedsOf(5)
	even := study{options: dpsgd, race: true}.over(t, seeds)
	evenPulse := study{options: pulse, race: true}.over(t, seeds)
	all := study{options: dpsgd, slow: 10, race: true, horizon: 1600}.over(t, seeds)
	globally := study{options: barrier, slow: 10, race: true, horizon: 1600}.over(t, seeds)
	pieces := study{options: pulse, slow: 10, race: true}.over(t, seeds)
	constant := study{options: quorum2, slow: 10, race: true}.over(t, seeds)
	jumps := study{options: jump, slow: 10, race: true}.over(t, seeds)
	limit := even.time() * capacity

	between(t, "pulse / dpsgd without a straggler", evenPulse.time()/even.time(), 0, 1.2)
	between(t, "dpsgd with / without a straggler", all.time()/even.time(), 7, 11)
	between(t, "global / local barrier", globally.time()/all.time(), 0.85, 1.15)
	between(t, "pulse / limit", pieces.time()/limit, 0, 1.2)
	between(t, "quorum / pulse", constant.time()/pieces.time(), 1.4, inf)
	between(t, "jumps / pieces", jumps.time()/pieces.time(), 1.4, inf)
}

// Without pulses in the middle of a block, pieces diverge.
func TestStudyPiecesNeedPulses(t *testing.T) {
	heavy(t)
	between(t, "time without pulses", study{options: noMid, slow: 10, horizon: 250}.over(t, seedsOf(3)).time(), inf, inf)
}

// Random slowness alone: waiting for all pays for the slowest every round.
func TestStudyExponential(t *testing.T) {
	heavy(t)
	seeds := seedsOf(5)
	all := study{options: dpsgd, law: exponential, race: true}.over(t, seeds)
	beats := study{options: pulse, law: exponential, race: true}.over(t, seeds)
	between(t, "dpsgd / pulse", all.time()/beats.time(), 1.7, inf)
}

// When communication takes five times as long as a step (the net "c5"), eight steps a round pay off.
func TestStudyLocalSteps(t *testing.T) {
	heavy(t)
	eight := dpsgd
	eight.LocalSteps = 8
	seeds := seedsOf(5)
	one := study{options: dpsgd, eta: .8, publish: 5, latency: .05, race: true, horizon: 1500}.over(t, seeds)
	many := study{options: eight, eta: .8, publish: 5, latency: .05, race: true, horizon: 1500}.over(t, seeds)
	between(t, "one step / eight steps a round", one.time()/many.time(), 1.7, inf)
}

// The slow peer alone holds a class: the data that silent exclusion takes out of a model.
func TestStudyExclusiveClass(t *testing.T) {
	heavy(t)
	seeds := seedsOf(7)
	even := study{excl: true, options: dpsgd}.over(t, seeds)
	pieces := study{excl: true, options: pulse, slow: 10}.over(t, seeds)
	constant := study{excl: true, options: quorum2, slow: 10}.over(t, seeds)
	damped := study{excl: true, options: quorum2Inv, slow: 10, race: true}.over(t, seeds)
	fresh := study{excl: true, options: quorum2New, slow: 10}.over(t, seeds)
	backup := study{excl: true, options: backup75, slow: 10, eta: 0.8}.over(t, seeds)
	once := study{excl: true, options: unscaled, slow: 10, race: true}.over(t, seeds)

	between(t, "pulse / limit", pieces.time()/(even.time()*capacity), 0, 1.35)
	between(t, "fresh only / pulse", fresh.time()/pieces.time(), 1.4, inf)
	between(t, "unscaled / pulse", once.time()/pieces.time(), 1.5, inf)
	between(t, "quorum constant / inverse age", constant.time()/damped.time(), 1, inf)
	between(t, "recall of pulse against no straggler", pieces.recall()-even.recall(), -.03, 1)
	between(t, "recall of quorum against no straggler", constant.recall()-even.recall(), -.03, 1)
	between(t, "recall of fresh only against no straggler", fresh.recall()-even.recall(), -1, -.08)
	between(t, "recall of backup against no straggler", backup.recall()-even.recall(), -1, -.08)
}

// A peer whose mixing eats the beat must not pulse; then pulse is as good as quorum and keeps the class.
func TestStudyStarvation(t *testing.T) {
	heavy(t)
	seeds := seedsOf(3)
	for _, c := range []study{
		{slow: 10, mixCost: .10},
		{slow: 10, mixCost: .10, excl: true},
		{slow: 30, excl: true},
		{slow: 60, excl: true},
	} {
		c.options = pulse
		beats := c.over(t, seeds)
		c.options = quorum2Inv
		waits := c.over(t, seeds)
		name := fmt.Sprintf("%gx, mixing %g, exclusive %t: ", c.slow, c.complete().mixCost, c.excl)
		between(t, name+"pulse / quorum", beats.time()/waits.time(), 0, 1.25)
		between(t, name+"recall of pulse against quorum", beats.recall()-waits.recall(), -.1, 1)
	}
}

// The default: as good as waiting for all without a straggler, near the limit with one, and the class of the
// slow peer stays known.
func TestStudyAuto(t *testing.T) {
	heavy(t)
	seeds := seedsOf(5)
	for _, excl := range []bool{false, true} {
		even := study{excl: excl, options: dpsgd}.over(t, seeds)
		evenAuto := study{excl: excl, options: auto}.over(t, seeds)
		slowAuto := study{excl: excl, options: auto, slow: 10}.over(t, seeds)
		name := fmt.Sprintf("exclusive %t: ", excl)
		between(t, name+"auto / dpsgd without a straggler", evenAuto.time()/even.time(), 0, 1.05)
		between(t, name+"auto / limit", slowAuto.time()/(even.time()*capacity), 0, 1.35)
		between(t, name+"recall of auto against no straggler", slowAuto.recall()-even.recall(), -.03, 1)
	}
	all := study{options: dpsgd, law: exponential, race: true}.over(t, seeds)
	ours := study{options: auto, law: exponential, race: true}.over(t, seeds)
	between(t, "exponential times: dpsgd / auto", all.time()/ours.time(), 1.7, inf)
}

// Events per unit: recipes that never wait make seven gradients and a tenth.
func TestStudyGradients(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options             consensus.Options
		gradients, messages float64
	}{
		"pulse":   {pulse, 6.93, 31.3},
		"quorum2": {quorum2, 6.95, 27.8},
		"fresh":   {quorum2New, 6.95, 27.8},
		"dpsgd":   {dpsgd, .80, 3.2},
	} {
		out := study{options: c.options, slow: 10, horizon: 100}.run(t, 101)
		within(t, name+": gradients a unit", out.gradients, c.gradients, 0.04)
		within(t, name+": messages a unit", out.messages, c.messages, 0.04)
	}
}

// Without a slow peer pulse is quorum, event for event: only what is in the estimates may differ,
// because a peer that by chance was measured as a little fast or slow scales its update.
func TestPulseIsQuorumWithoutStraggler(t *testing.T) {
	t.Parallel()
	sequence := func(options consensus.Options) []string {
		var events []string
		var out outcome
		l := study{options: options}.complete().network(t, 101, &out)
		l.observer = func(now consensus.Time, self consensus.Peer, ev consensus.Event, _ []consensus.Effect) {
			events = append(events, fmt.Sprintf("%d %s %T", now, self, ev))
		}
		l.run(t, 60)
		return events
	}
	a, b := sequence(pulse), sequence(quorum2)
	if len(a) != len(b) {
		t.Fatalf("%d events with pulse, %d with quorum", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("event %d is %q with pulse, %q with quorum", i, a[i], b[i])
		}
	}
}
