package testnet

import (
	"cmp"
	"slices"
	"time"

	"github.com/starling-ml/starling/internal/settings"
)

// Deed is what an action does to a peer.
type Deed string

// Deeds. The last two happen in virtual time alone.
const (
	Slow      Deed = "slow"      // multiply the time of its steps
	Pause     Deed = "pause"     // stop it as SIGSTOP does
	Resume    Deed = "resume"    // let it go on
	Kill      Deed = "kill"      // end it as SIGKILL does
	Restart   Deed = "restart"   // start it again
	Join      Deed = "join"      // start it for the first time, or as a newcomer again
	Leave     Deed = "leave"     // let it say goodbye and end
	Partition Deed = "partition" // cut the network in groups
	Relink    Deed = "link"      // change how it is attached
)

// Choices lists the deeds.
func (Deed) Choices() []string {
	var all []string
	for _, d := range []Deed{Slow, Pause, Resume, Kill, Restart, Join, Leave, Partition, Relink} {
		all = append(all, string(d))
	}
	return all
}

// Perturbation is one line of a schedule: what is done to some peers, once (at) or again and again
// (every). A peer whose first line is do: join is not there before.
type Perturbation struct {
	At    settings.Duration `yaml:"at,omitempty" json:"at,omitempty"`
	Every settings.Duration `yaml:"every,omitempty" json:"every,omitempty"`
	// Until ends Every; 0: the end of the run.
	Until settings.Duration `yaml:"until,omitempty" json:"until,omitempty"`
	Do    Deed              `yaml:"do" json:"do" jsonschema:"required"`
	// Peers selects whom: "3", "4-7", "0, 2", the name of a group, all, or "random: k", which is drawn
	// anew every time.
	Peers Selector `yaml:"peers,omitempty" json:"peers,omitempty"`
	// Groups are what a partition cuts the network in, as selectors: [0-3, 4-7]. Peers in none of them are
	// a group too.
	Groups []Selector `yaml:"groups,omitempty" json:"groups,omitempty"`
	// Compute is how many times longer the steps of slow peers take; 1x ends it.
	Compute settings.Factor `yaml:"compute,omitempty" json:"compute,omitempty"`
	// Link is what changes with do: link; what it does not say stays as it is.
	Link settings.Link `yaml:"link,omitempty" json:"link,omitzero"`
	// For ends slow, pause, partition and link after a while.
	For settings.Duration `yaml:"for,omitempty" json:"for,omitempty"`
	// RestartAfter restarts killed peers after a while.
	RestartAfter settings.Duration `yaml:"restart_after,omitempty" json:"restart_after,omitempty"`
	// Fresh makes restarted peers forget their checkpoint.
	Fresh bool `yaml:"fresh,omitempty" json:"fresh,omitempty"`
}

// Action is one deed to one peer at one time, as a runtime carries it out.
type Action struct {
	At     time.Duration // since the start of the run
	Do     Deed
	Peer   int            // its vertex
	Factor float64        // slow: how many times slower than its own pace; 1 ends it
	Side   int            // partition: the number of its group; 0 ends it
	Fresh  bool           // restart: without the checkpoint
	Link   *settings.Link // link: how it is attached from now on
	Line   int            // of the manifest, 0 if unknown
}

// check reports what is missing from a perturbation or means nothing in it.
func (p *Perturbation) check(report func(key, what, hint string)) {
	if p.At > 0 && p.Every > 0 {
		report("every", "at and every are both given", "keep one")
	}
	if p.Until > 0 && p.Every == 0 {
		report("until", "until without every", "add every, or remove until")
	}
	if p.Do == Slow && p.Compute == 0 {
		report("compute", "missing", "say how many times slower, as in compute: 2x")
	}
	if p.Do != Slow && p.Compute != 0 {
		report("compute", "means nothing for do: "+string(p.Do), "remove it")
	}
	if (p.Do == Partition) != (p.Groups != nil) {
		report("groups", "groups and do: partition go together", "cut the network as in groups: [0-3, 4-7]")
	}
	if (p.Do == Partition) == (p.Peers != "") {
		report("peers", p.whom(), "select some, as in peers: 3 or 4-7")
	}
	if (p.Do == Relink) == p.Link.IsZero() {
		report("link", "link and do: link go together", "change it as in link: {latency: 200ms, loss: 2%}")
	}
	if p.For > 0 && !slices.Contains([]Deed{Slow, Pause, Partition, Relink}, p.Do) {
		report("for", "means nothing for do: "+string(p.Do), "killed peers come back with restart_after")
	}
	if p.RestartAfter > 0 && p.Do != Kill {
		report("restart_after", "means nothing for do: "+string(p.Do), "remove it")
	}
	if p.Fresh && p.Do != Restart && p.RestartAfter == 0 {
		report("fresh", "nothing is restarted here", "remove it")
	}
}

// whom says what is wrong with the peers.
func (p *Perturbation) whom() string {
	if p.Do == Partition {
		return "means nothing for do: partition"
	}
	return "missing"
}

// times returns when a perturbation happens in a run of some length.
func (p *Perturbation) times(length time.Duration) []time.Duration {
	if p.Every == 0 {
		return []time.Duration{p.At.Std()}
	}
	until := length
	if p.Until > 0 {
		until = min(until, p.Until.Std())
	}
	var all []time.Duration
	for at := p.Every.Std(); at <= until; at += p.Every.Std() {
		all = append(all, at)
	}
	return all
}

// inOrder sorts actions by time; those of one time keep the order of the manifest.
func inOrder(actions []Action) []Action {
	slices.SortStableFunc(actions, func(a, b Action) int { return cmp.Compare(a.At, b.At) })
	return actions
}
