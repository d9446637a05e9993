package consensus

import (
	"fmt"

	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/vec"
)

// advise lists what is worth knowing about a composition that runs: given is what the user said, o
// the complete options.
func advise(r *composed, given, o Options, g *topology.Graph) []Warning {
	var all []Warning
	warn := func(when bool, id, format string, args ...any) {
		if when {
			all = append(all, Warning{ID: id, Text: fmt.Sprintf(format, args...)})
		}
	}
	for _, option := range allOptions {
		warn(option.set(given) && !r.reads(option.Name), "W001 option-unused",
			"recipe %s does not read %s", r.Name, option.Name)
	}
	largest, connected := inspect(g)
	warn(!connected, "W002 parts", "the graph has parts that are not connected: they never agree")
	warn(r.reads("mix") && o.Mix == Fresh, "W003 fresh-drops-slow",
		"mix fresh leaves out who has said nothing new: data that only slow peers have fade from the model while "+
			"the consensus distance looks healthy; use mix latest unless all peers have alike data")
	warn(o.Recipe == "backup" && o.Mix == Mutual && o.Late != Skip, "W004 mutual-without-coverage",
		"late %s with a fixed share: a peer that is always slow is never mixed; use late skip, mix latest, or dybw",
		o.Late)
	warn((o.Recipe == "dybw" || o.Recipe == "aau") && o.Late == Carry, "W005 carry-waits",
		"late carry gains nothing against a peer that is always slow: everybody waits for it once a cycle")
	warn(r.reads("quorum") && o.Quorum >= largest && o.Quorum > 0 && largest > 0, "W006 quorum-is-all",
		"quorum %d is every neighbour (at most %d): the slowest one decides", o.Quorum, largest)
	warn(o.Momentum >= 0.9, "W007 large-momentum",
		"momentum %v diverged in our runs with stragglers; 0.5 is the largest that helped", o.Momentum)
	warn(o.Budget > 0 && r.reads("budget") && !o.Normalise && o.Share == "", "W009 unequal-work",
		"a budget without normalise: peers that do more local steps pull the model to their own data")
	warn(o.RateCap == 1 && r.reads("rate_cap"), "W010 constant-step",
		"rate_cap 1: peers that update often decide where the model goes; leave it out unless all are equally fast")
	warn(o.Recipe == "dssp" && o.MaxSkip < o.GapMax && o.Share == "", "W012 bound-holds-all",
		"max_skip %d with gap_max %d: a peer that is always slow brings everybody to max_skip+1 blocks in each of its "+
			"own; use max_skip %d or more, or share speed", o.MaxSkip, o.GapMax, o.GapMax)
	few := o.Codec.Kind == vec.TopK || o.Codec.Kind == vec.Slim || o.Codec.Kind == vec.Fragment
	warn(few && o.Robust != "", "W011 lag-looks-hostile",
		"robust %s with codec %s: what has not been told yet makes honest peers look far away, and attackers can hide "+
			"among them; use codec int8", o.Robust, o.Codec.Kind)
	if p := o.Pulse; p != nil && o.Recipe == "pulse" {
		warn(p.NoMidBlock || p.Jump || p.MaxPieces == 1, "W008 pulse-in-part",
			"a part of pulse is switched off: this is for experiments, it is slower or loses slow peers' data")
	}
	return all
}

// inspect returns the largest degree, and whether the graph is connected.
func inspect(g *topology.Graph) (largest int, connected bool) {
	if g == nil || g.N() == 0 {
		return 0, true
	}
	connected = true
	for v, reached := range component(g, 0, nil) {
		largest = max(largest, g.Degree(v))
		connected = connected && reached
	}
	return largest, connected
}
