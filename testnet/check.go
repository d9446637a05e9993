package testnet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/internal/settings"
)

// check reports what a schema cannot see: references, bounds across keys, and what the runtime cannot
// do.
func (l *Loaded) check() {
	if l.Document.Has("name") && strings.TrimSpace(l.Name) == "" {
		l.Document.Problem("name", "empty", "name the network, as folders and reports will")
	}
	if l.Peers.Count < 1 {
		return // reported already, and everything depends on it
	}
	l.checkPeers()
	if l.graph = l.Topology.Check(l.Document, "topology", l.Peers.Count, l.Train.Schedule); l.graph != nil {
		l.Train.Check(l.Document, "train", l.graph)
	}
	if l.Train.Stop.Time == 0 {
		l.Document.Problem("train.stop.time", "missing", "say how long the network runs, as in time: 60s")
	}
	l.checkBounds()
	l.checkRuntime()
	l.checkSchedule()
}

// checkChoices reports what is wrong with the choice of the runs. It is the same in all of them.
func (l *Loaded) checkChoices() {
	l.checkCases()
	l.checkSweep()
	l.checkTune()
	l.checkRuns()
	l.checkQuick()
	for i := range l.Expect {
		l.checkExpectation(i)
	}
}

// checkPeers reports selectors that select nobody and laws of time that are none.
func (l *Loaded) checkPeers() {
	base := l.Peers.Defaults.Compute.Step.Duration
	if base == 0 {
		l.Document.Problem("peers.defaults.compute.step", "must be a time", "write it as in 40ms")
		return
	}
	l.Peers.Defaults.Compute.Check(l.Document, "peers.defaults.compute", base)
	l.Peers.Defaults.Data.Check(l.Document, "peers.defaults.data")
	l.Train.CheckPooled(l.Document, "train", "peers.defaults.data", l.Peers.Defaults.Data)
	choose := l.chooser(l.Seed)
	seen := map[string]bool{}
	for i, g := range l.Peers.Groups {
		path := l.groupPath(i)
		if seen[g.Name] {
			l.Document.Problem(path+".name", fmt.Sprintf("two groups are called %q", g.Name), "rename one")
		}
		seen[g.Name] = true
		members, err := choose.choose(g.Select)
		l.Document.Check(path+".select", err)
		choose.groups[g.Name] = members
		peer := l.peerOf(i)
		peer.Compute.Check(l.Document, path+".compute", base)
		peer.Data.Check(l.Document, path+".data")
		l.Train.CheckPooled(l.Document, "train", path+".data", peer.Data)
		if peer.Data.Partition != l.Peers.Defaults.Data.Partition {
			l.Document.Problem(path+".data.partition", "the partition is of the whole run",
				"set it in peers.defaults.data")
		}
	}
}

// chooser returns a chooser that knows no group yet.
func (l *Loaded) chooser(root uint64) *chooser {
	return &chooser{count: l.Peers.Count, groups: map[string][]int{}, random: seed.Stream(root, "choose")}
}

// groupPath is the path of a group in the document.
func (l *Loaded) groupPath(i int) string {
	name := l.Peers.Groups[i].Name
	if _, err := strconv.Atoi(name); err == nil || name == "" || strings.Contains(name, ".") {
		name = strconv.Itoa(i)
	}
	return "peers.groups." + name
}

// peerOf returns the settings of a group's peers: the group's over the defaults.
func (l *Loaded) peerOf(group int) Peer {
	peer := l.Peers.Defaults
	l.Document.Overlay(l.groupPath(group), &peer)
	return peer
}

// checkRuntime reports what the runtime cannot do: better before the start than in the middle.
func (l *Loaded) checkRuntime() {
	if l.Runtime == VirtualTime {
		return
	}
	paths := []string{"peers.mixing", "peers.defaults.link"}
	for i := range l.Peers.Groups {
		paths = append(paths, l.groupPath(i)+".link")
	}
	for _, path := range paths {
		if l.Document.Has(path) {
			l.Document.Problem(path, fmt.Sprintf("runtime %s has real links and real mixing", l.Runtime),
				"remove it, or use runtime: virtual")
		}
	}
}

func (l *Loaded) checkSchedule() {
	choose := l.chooser(l.Seed)
	for i, g := range l.Peers.Groups {
		members, err := choose.choose(g.Select)
		if err != nil {
			return // reported with the group
		}
		choose.groups[l.Peers.Groups[i].Name] = members
	}
	for i := range l.Schedule {
		p := &l.Schedule[i]
		path := "schedule." + strconv.Itoa(i)
		p.check(func(key, what, hint string) { l.Document.Problem(path+"."+key, what, hint) })
		l.checkAbility(path, p.Do)
		if p.Do == Partition {
			_, err := p.cut(0, choose)
			l.Document.Check(path+".groups", err)
		} else if p.Peers != "" {
			_, err := choose.choose(p.Peers)
			l.Document.Check(path+".peers", err)
		}
		if stop := l.Train.Stop.Time; stop > 0 && p.At > stop {
			l.Document.Problem(path+".at", fmt.Sprintf("%s is after the end of the run at %s", p.At, stop),
				"let the run take longer, or remove it")
		}
	}
}

// checkAbility reports what the runtime cannot do to a peer.
func (l *Loaded) checkAbility(path string, do Deed) {
	switch {
	case l.Runtime == InProcess && (do == Pause || do == Resume):
		l.Document.Problem(path+".do", fmt.Sprintf("runtime %s cannot %s a peer", l.Runtime, do),
			"use runtime: process or virtual")
	case l.Runtime != VirtualTime && do == Partition:
		l.Document.Problem(path+".do", fmt.Sprintf("runtime %s cannot cut the network", l.Runtime),
			"use runtime: virtual")
	case l.Runtime != VirtualTime && do == Relink:
		l.Document.Problem(path+".do", fmt.Sprintf("runtime %s has real links", l.Runtime), "use runtime: virtual")
	}
}

// checkSweep reports keys that cannot be swept, values that are none, and variants without a name.
func (l *Loaded) checkSweep() {
	for _, key := range slices.Sorted(maps.Keys(l.Sweep)) {
		path := "sweep." + key
		l.checkChosen(path, key, "swept")
		l.checkValues(path, key, l.Sweep[key])
		for i, value := range l.Sweep[key] {
			if key == recipeKey && value.IsMap() {
				l.checkVariant(path+"."+strconv.Itoa(i), value)
			}
		}
	}
}

// checkValues reports an empty list, and a value that is there twice, whose runs would share a folder.
func (l *Loaded) checkValues(path, key string, values []settings.Tree) {
	if len(values) == 0 {
		l.Document.Problem(path, fmt.Sprintf("%s has no values", key), "list some, as in [1x, 10x]")
	}
	seen := map[string]bool{}
	for _, value := range values {
		label := sweptChoice(key, value).label
		if seen[fileName(label)] {
			l.Document.Problem(path, fmt.Sprintf("%s has %s twice", key, label), "remove one")
		}
		seen[fileName(label)] = true
	}
}

// checkVariant reports a variant of a recipe without a name or a recipe.
func (l *Loaded) checkVariant(path string, variant settings.Tree) {
	name, recipe := variant.Get("name"), variant.Get("recipe")
	if !name.IsScalar() || !caseName.MatchString(name.String()) {
		l.Document.Problem(path, "a variant of a recipe needs a name without spaces, commas and equals signs",
			"name it, as in {name: quorum-fresh, recipe: quorum, mix: fresh}")
	}
	if !recipe.IsScalar() {
		l.Document.Problem(path, "a variant of a recipe needs a recipe", "say which, as in recipe: quorum")
	}
}

func (l *Loaded) checkExpectation(i int) {
	e, path := &l.Expect[i], "expect."+strconv.Itoa(i)
	if _, recall := recallClass(e.Metric); !recall {
		l.Document.OneOf(path+".metric", e.metric(), append(Metrics(), "recall/CLASS"))
	}
	if e.AtLeast == nil && e.AtMost == nil && e.LessThan == nil {
		l.Document.Problem(path, "expects nothing", "add at_least, at_most or less_than")
	}
	for key, recipe := range map[string]string{"recipe": e.Recipe, "of": e.Of} {
		if recipe != "" {
			l.Document.OneOf(path+"."+key, recipe, l.recipes())
		}
	}
	switch {
	case e.When != "" && !strings.Contains(e.When, "="):
		l.Document.Problem(path+".when", fmt.Sprintf("%q is no condition", e.When), `write it as in "slow = 10x"`)
	case !e.concerns(l.axes()):
		l.Document.Problem(path+".when", fmt.Sprintf("no run has %q", e.When), "name a swept key and one of its values")
	}
}

// recipes lists the names of the recipes that are run.
func (l *Loaded) recipes() []string {
	for _, a := range l.chosenAxes() {
		if a.key == recipeKey {
			return a.labels()
		}
	}
	return []string{cmp.Or(string(l.Train.Recipe), consensus.Recipes()[0].Name)}
}
