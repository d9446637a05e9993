package testnet

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/train/data"
	"github.com/starling-ml/starling/train/pace"
	"github.com/starling-ml/starling/train/task"
)

// Plan is one run of a manifest with everything decided: one recipe, one seed, every selector resolved,
// every default filled in. It is all that a runtime needs to know. Nobody writes to a plan.
type Plan struct {
	Name    string // of the manifest
	Label   string // of the run among those of its manifest, fit for a file name
	Runtime RuntimeName
	Seed    uint64
	Recipe  string            // its name among those compared: a recipe, or a variant of one
	Sweep   map[string]string // swept values other than the recipe, and the case
	Tuned   map[string]string // the values that were chosen for this combination
	Members []Member          // by vertex
	Graph   *topology.Graph
	// Kind is the name of the graph, for people.
	Kind    string
	Options consensus.Options // complete
	Task    task.Spec         // complete
	// Train is the section of the manifest that Options and Task are from, for peers that read it again.
	Train   settings.Train
	Stop    Stop
	Actions []Action // in the order of time
	// MixCost is the time of mixing four estimates in steps of a peer's own, in virtual time.
	MixCost float64
	Events  observe.Level
	Dir     string // where the files of the run go; empty: nowhere
	Hash    string // of the effective manifest
	// Watch is told of every evaluation during the run, one call at a time; nil: nobody is.
	Watch func(Moment)
	// Orders are actions that somebody decides on while the run goes on; their times mean nothing. Only
	// runtimes with a real clock take them. Peers take checkpoints only if the schedule restarts some.
	Orders <-chan Action
}

// Member is one peer of a plan.
type Member struct {
	Name    string
	Compute pace.Law
	Link    settings.Link // in virtual time
	Data    data.Partition
}

// Stop says when a run ends and what it aims at.
type Stop struct {
	Time  time.Duration
	Steps uint64 // of the fastest peer; 0: no limit
	// Metric is "loss", "rmse" or "accuracy" of the average model on the held-out data; empty: no target.
	Metric string
	Target float64
	// AtTarget ends the run when it has met the target.
	AtTarget bool
}

// readings is how many evaluations of the average model a run gets.
const readings = 200

// Reached returns when the readings first met the target; nil when they did not or there is none.
func (s Stop) Reached(readings []Reading) *float64 {
	if s.Metric == "" {
		return nil
	}
	return TimeTo(readings, s.Metric, s.Target)
}

// EvalEvery is the time between two evaluations of the average model.
func (s Stop) EvalEvery() time.Duration { return max(s.Time/readings, time.Millisecond) }

// Step is the typical time of a step of the member.
func (m *Member) Step() time.Duration {
	if m.Compute.Factor == 0 {
		return m.Compute.Step
	}
	return time.Duration(float64(m.Compute.Step) * m.Compute.Factor)
}

// slowFactor is from how many times the usual step time on a peer counts as known to be slow.
const slowFactor = 2

// Slow tells which members everybody knows to be slow, by vertex: the manifest says so.
func (p *Plan) Slow() []bool {
	steps := make([]time.Duration, len(p.Members))
	for i := range p.Members {
		steps[i] = p.Members[i].Step()
	}
	usual := slices.Sorted(slices.Values(steps))[len(steps)/2]
	slow := make([]bool, len(steps))
	for i, s := range steps {
		slow[i] = s >= slowFactor*usual
	}
	return slow
}

// Result returns a result that names the run and has no measurements yet.
func (p *Plan) Result() Result {
	return Result{
		Recipe: p.Recipe, Seed: p.Seed, Sweep: p.Sweep, Tuned: p.Tuned,
		Runtime: string(p.Runtime), Peers: len(p.Members),
	}
}

// Plans returns the runs of a manifest: every combination of cases and sweep with every seed. What is
// tuned has the value of the manifest.
func (l *Loaded) Plans() ([]*Plan, error) {
	var plans []*Plan
	for _, c := range product(l.chosenAxes()) {
		one := l.with(c)
		for _, root := range l.seeds() {
			plan, err := one.plan(c, root)
			if err != nil {
				return nil, err
			}
			plans = append(plans, plan)
		}
	}
	return plans, nil
}

// plan decides everything for one seed of a combination that is in force.
func (l *Loaded) plan(c combination, root uint64) (*Plan, error) {
	composed, err := consensus.Compose(l.Train.Options(), l.graph)
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Name: l.Name, Runtime: l.Runtime, Seed: root, Sweep: c.swept(), Recipe: cmp.Or(c.recipe(), composed.Options.Recipe),
		Graph: l.graph, Kind: string(l.Topology.Graph), Options: composed.Options,
		Task: l.Train.Spec().WithDefaults(), Train: l.Train, Stop: stopOf(l.Train.Stop), MixCost: float64(l.Peers.Mixing),
		Hash: l.Hash(),
	}
	p.Label = c.label(p.Recipe, root)
	if l.Output.Events != "none" {
		if p.Events, err = observe.ParseLevel(l.Output.Events); err != nil {
			return nil, err
		}
	}
	choose := l.chooser(root)
	if p.Members, err = l.members(choose); err != nil {
		return nil, err
	}
	p.Actions, err = l.actions(choose, p.Members)
	return p, err
}

func stopOf(s settings.Stop) Stop {
	stop := Stop{Time: s.Time.Std(), Steps: uint64(s.Steps)}
	if t := s.Target; t != nil {
		stop.Metric = strings.TrimPrefix(t.Metric, "eval/")
		if t.AtLeast != nil {
			stop.Target = *t.AtLeast
		} else {
			stop.Target = *t.AtMost
		}
	}
	return stop
}

// members returns the peers, with the groups laid over the defaults, and tells the chooser the groups.
func (l *Loaded) members(choose *chooser) ([]Member, error) {
	peers := make([]Peer, l.Peers.Count)
	for i := range peers {
		peers[i] = l.Peers.Defaults
	}
	for i, g := range l.Peers.Groups {
		selected, err := choose.choose(g.Select)
		if err != nil {
			return nil, err
		}
		choose.groups[g.Name] = selected
		for _, peer := range selected {
			l.Document.Overlay(l.groupPath(i), &peers[peer])
		}
	}
	digits := len(strconv.Itoa(len(peers) - 1))
	members := make([]Member, len(peers))
	for i, p := range peers {
		law, err := p.Compute.Pace(l.Peers.Defaults.Compute.Step.Duration)
		if err != nil {
			return nil, err
		}
		members[i] = Member{
			Name: fmt.Sprintf("%0*d", digits, i), Compute: law, Link: p.Link, Data: p.Data.Deal(),
		}
	}
	return members, nil
}
