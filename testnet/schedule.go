package testnet

import (
	"cmp"
	"slices"
	"time"

	"github.com/starling-ml/starling/internal/settings"
)

// Deed is what an action does to a peer.
type Deed string

// Deeds. Every runtime can do all of them.
const (
	Slow    Deed = "slow"    // multiply the time of its steps
	Pause   Deed = "pause"   // stop it as SIGSTOP does
	Resume  Deed = "resume"  // let it go on
	Kill    Deed = "kill"    // end it as SIGKILL does
	Restart Deed = "restart" // start it again
)

// Choices lists the deeds.
func (Deed) Choices() []string {
	return []string{string(Slow), string(Pause), string(Resume), string(Kill), string(Restart)}
}

// Perturbation is one line of a schedule: what is done to some peers, once (at) or again and again
// (every).
type Perturbation struct {
	At    settings.Duration `yaml:"at,omitempty" json:"at,omitempty"`
	Every settings.Duration `yaml:"every,omitempty" json:"every,omitempty"`
	// Until ends Every; 0: the end of the run.
	Until settings.Duration `yaml:"until,omitempty" json:"until,omitempty"`
	Do    Deed              `yaml:"do" json:"do" jsonschema:"required"`
	// Peers selects whom: "3", "4-7", "0, 2", the name of a group, all, or "random: k", which is drawn
	// anew every time.
	Peers Selector `yaml:"peers" json:"peers" jsonschema:"required"`
	// Compute is how many times longer the steps of slow peers take; 1x ends it.
	Compute settings.Factor `yaml:"compute,omitempty" json:"compute,omitempty"`
	// For ends slow and pause after a while.
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
	Peer   int     // its vertex
	Factor float64 // slow: how many times slower than its own pace; 1 ends it
	Fresh  bool    // restart: without the checkpoint
	Line   int     // of the manifest, 0 if unknown
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
	if p.For > 0 && p.Do != Slow && p.Do != Pause {
		report("for", "means nothing for do: "+string(p.Do), "killed peers come back with restart_after")
	}
	if p.RestartAfter > 0 && p.Do != Kill {
		report("restart_after", "means nothing for do: "+string(p.Do), "remove it")
	}
	if p.Fresh && p.Do != Restart && p.RestartAfter == 0 {
		report("fresh", "nothing is restarted here", "remove it")
	}
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

// expand appends what a perturbation does to some peers at a time.
func (p *Perturbation) expand(actions []Action, at time.Duration, peers []int, line int) []Action {
	add := func(at time.Duration, do Deed, factor float64) {
		for _, peer := range peers {
			actions = append(actions, Action{At: at, Do: do, Peer: peer, Factor: factor, Fresh: p.Fresh, Line: line})
		}
	}
	add(at, p.Do, float64(p.Compute))
	switch {
	case p.Do == Slow && p.For > 0:
		add(at+p.For.Std(), Slow, 1)
	case p.Do == Pause && p.For > 0:
		add(at+p.For.Std(), Resume, 0)
	case p.Do == Kill && p.RestartAfter > 0:
		add(at+p.RestartAfter.Std(), Restart, 0)
	}
	return actions
}

// inOrder sorts actions by time; those of one time keep the order of the manifest.
func inOrder(actions []Action) []Action {
	slices.SortStableFunc(actions, func(a, b Action) int { return cmp.Compare(a.At, b.At) })
	return actions
}
