package sim_test

import (
	"slices"
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/testnet/sim"
)

// note is an event that reached a machine.
type note struct {
	at   float64 // units
	self consensus.Peer
	ev   consensus.Event
}

// record collects all events that keep wants.
func record(notes *[]note, keep func(note) bool) sim.Observer {
	return func(at consensus.Time, self consensus.Peer, ev consensus.Event, _ []consensus.Effect) {
		n := note{at: float64(at) / float64(unit), self: self, ev: ev}
		if keep(n) {
			*notes = append(*notes, n)
		}
	}
}

func estimateFrom(n note, from consensus.Peer) bool {
	r, ok := n.ev.(consensus.Received)
	if !ok || r.From != from {
		return false
	}
	_, ok = r.Message.(consensus.Estimate)
	return ok
}

// An uplink carries one estimate after the other, another neighbour first every time.
func TestUplinkIsAQueueWithTurns(t *testing.T) {
	t.Parallel()
	var notes []note
	l := lab{
		graph: circulant(5, 4), law: constant, options: consensus.Options{Recipe: "dpsgd"},
		// one frame of 4 bytes takes 0.125
		link:     sim.Link{Rate: 32 / 0.125, Latency: units(0.25)},
		observer: record(&notes, func(n note) bool { return estimateFrom(n, "000") }),
	}
	l.run(t, 4)
	var at []float64
	var order []consensus.Peer
	for _, n := range notes {
		at = append(at, n.at)
		order = append(order, n.self)
	}
	// peer 0 is everybody's first, so it closes its round at 1.375 and its next block ends at 2.375
	if want := []float64{1.375, 1.5, 1.625, 1.75, 2.75, 2.875, 3, 3.125}; !slices.Equal(at, want) {
		t.Errorf("estimates arrive at %v, expected %v", at, want)
	}
	want := []consensus.Peer{"001", "002", "003", "004", "002", "003", "004", "001"}
	if !slices.Equal(order, want) {
		t.Errorf("they reach %v, expected %v", order, want)
	}
}

// An estimate that waits in the uplink gives way to a newer one; the sender is told. dpsgd's never do.
func TestNewerEstimateReplacesAQueuedOne(t *testing.T) {
	t.Parallel()
	for recipe, replaces := range map[string]bool{"quorum": true, "dpsgd": false} {
		var failed, arrived []uint64
		l := lab{
			graph: circulant(5, 4), law: constant, options: consensus.Options{Recipe: recipe},
			link: sim.Link{Rate: 32 / 0.8},
		}
		l.observer = func(_ consensus.Time, self consensus.Peer, ev consensus.Event, _ []consensus.Effect) {
			switch e := ev.(type) {
			case consensus.SendFailed:
				failed = append(failed, e.Seq)
			case consensus.Received:
				if self == "001" && e.From == "000" {
					arrived = append(arrived, e.Message.(consensus.Estimate).Seq)
				}
			}
		}
		l.run(t, 40)
		if (len(failed) > 0) != replaces {
			t.Errorf("%s: %d estimates were replaced", recipe, len(failed))
		}
		if !slices.IsSorted(arrived) || len(arrived) < 8 {
			t.Errorf("%s: estimates arrive in the order %v", recipe, arrived)
		}
	}
}

// Agreement messages do not wait behind estimates.
func TestControlPassesBulk(t *testing.T) {
	t.Parallel()
	var first *note
	l := lab{
		graph: circulant(3, 2), law: constant, options: consensus.Options{Recipe: "barrier"},
		link: sim.Link{Rate: 32 / 0.5, Latency: units(0.25)},
		observer: func(at consensus.Time, self consensus.Peer, ev consensus.Event, _ []consensus.Effect) {
			if r, ok := ev.(consensus.Received); ok && first == nil {
				first = &note{at: float64(at) / float64(unit), self: self, ev: r}
			}
		},
	}
	l.run(t, 3)
	if _, control := first.ev.(consensus.Received).Message.(consensus.Done); !control || first.at != 1.25 {
		t.Errorf("the first message is %v at %v", first.ev, first.at)
	}
}

// Jitter never lets a message overtake an earlier one of its lane, and never makes latency negative.
func TestJitterKeepsTheOrder(t *testing.T) {
	t.Parallel()
	seqs := map[consensus.Peer]uint64{}
	l := busy("quorum")
	l.link = sim.Link{Rate: 1e9, Latency: units(0.3), Jitter: units(3)}
	arrivals := 0
	l.observer = func(_ consensus.Time, self consensus.Peer, ev consensus.Event, _ []consensus.Effect) {
		if n := (note{self: self, ev: ev}); !estimateFrom(n, "000") {
			return
		}
		arrivals++
		seq := ev.(consensus.Received).Message.(consensus.Estimate).Seq
		if seq <= seqs[self] {
			t.Errorf("peer %s gets %d after %d", self, seq, seqs[self])
		}
		seqs[self] = seq
	}
	l.run(t, 60)
	if arrivals < 50 {
		t.Errorf("only %d estimates arrived", arrivals)
	}
}

// Bytes are counted when they have left an uplink.
func TestSentBytes(t *testing.T) {
	t.Parallel()
	l := lab{graph: circulant(4, 2), law: constant, options: consensus.Options{Recipe: "dpsgd"}}
	if got := l.run(t, 10).SentBytes(); got != 10*4*2*4 {
		t.Errorf("%d bytes in ten rounds of four peers with two neighbours each and four bytes a frame", got)
	}
}
