package node

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/vec"
)

// heard opens a node and starts it, keeping what it says.
func heard(t *testing.T, c *Config, s *said) *running {
	t.Helper()
	n, err := Open(c, Options{Version: "test", Minimal: true, Say: s.say})
	if err != nil {
		t.Fatal(err)
	}
	return start(n)
}

func (s *said) eventually(t *testing.T, want string) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("it said\n%s", s.text())
		}
	})
	eventually(t, want, func() bool { return strings.Contains(s.text(), want) })
}

func TestPeersThatDoNotFitRefuseEachOtherAndTrainOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   string // said by both
	}{
		{"model", func(c *Config) { c.Train.Task.Model = "mlp-8" }, `"layer1.weight" is [64, `},
		{"seed", func(c *Config) { c.Train.Seed = 2 }, "give both the same seed"},
		{"recipe", func(c *Config) { c.Train.Recipe = "pulse" }, "graph=exponential"},
		{"topology", func(c *Config) { c.Topology.Graph = "ring" }, "graph=ring"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var sa, sb said
			a := heard(t, agent(t, "a"), &sa)
			config := agent(t, "b", a.Addrs()...)
			c.change(config)
			b := heard(t, config, &sb)
			for _, s := range []*said{&sa, &sb} {
				s.eventually(t, "refused    ")
				s.eventually(t, c.want)
			}
			before := [2]uint64{a.Estimate().Steps, b.Estimate().Steps}
			eventually(t, "both train on", func() bool {
				return a.Estimate().Steps > before[0] && b.Estimate().Steps > before[1]
			})
			for _, r := range []*running{a, b} {
				if n := len(r.mesh.Stats().Neighbours); n != 0 {
					t.Errorf("%s has %d neighbours", r.config.Name, n)
				}
				r.stop(t)
			}
		})
	}
}

func TestADivergedPeerIsMissedAndDoesNotSpread(t *testing.T) {
	t.Parallel()
	a := start(open(t, agent(t, "a")))
	b := start(open(t, agent(t, "b", a.Addrs()...)))
	config := agent(t, "c", a.Addrs()...)
	diverge(config)
	config.Train.LocalSteps = 8
	c := start(open(t, config))
	<-c.done
	if !errors.Is(c.err, ErrDiverged) || c.result.Round != 0 {
		t.Errorf("c ended in round %d with %v", c.result.Round, c.err)
	}
	for _, r := range []*running{a, b} {
		eventually(t, "one neighbour", func() bool { return len(r.mesh.Stats().Neighbours) == 1 })
		before := r.Estimate().Round
		eventually(t, "more rounds", func() bool { return r.Estimate().Round > before+5 })
	}
	for _, r := range []*running{a, b} {
		if result := r.stop(t); !vec.Finite(result.Params) {
			t.Errorf("%s has parameters that are not finite", r.config.Name)
		}
	}
}

func TestAPeerThatReachesNobodySaysWhyAndTrains(t *testing.T) {
	t.Parallel()
	gone := open(t, agent(t, "gone"))
	addr := gone.Addrs()[0]
	gone.Close()
	var s said
	n, err := Open(agent(t, "a", addr), Options{Minimal: true, Say: s.say})
	if err != nil {
		t.Fatal(err)
	}
	n.zero = n.zero.Add(-reportEvery) // it has tried for a while
	r := start(n)
	s.eventually(t, "no peer reached yet (1 address, 0 answered); trying on\n  "+addr+": refused")
	before := r.Estimate().Steps
	eventually(t, "steps", func() bool { return r.Estimate().Steps > before })
	eventually(t, "ready", func() bool { return *r.ready.Load() == nil })
	r.stop(t)
	if told := strings.Count(s.text(), "no peer reached yet"); told != 1 {
		t.Errorf("it was told %d times", told)
	}
	if *r.ready.Load() == nil {
		t.Error("a peer that has ended is ready")
	}
}

func TestAKilledNodeIsMissedByItsNeighbours(t *testing.T) {
	t.Parallel()
	var s said
	a := heard(t, agent(t, "a"), &s)
	b := start(open(t, agent(t, "b", a.Addrs()...)))
	s.eventually(t, "joined     b")
	b.kill(ErrKilled)
	<-b.done
	s.eventually(t, "left       b: lost")
	before := a.Estimate().Steps
	eventually(t, "a goes on", func() bool { return a.Estimate().Steps > before+20 })
	a.stop(t)
}

func TestMembersThatAreFixedMeetInTheirPlaces(t *testing.T) {
	t.Parallel()
	ca, cb, cc := agent(t, "a"), agent(t, "b"), agent(t, "c")
	var ids []string
	for _, c := range []*Config{ca, cb, cc} {
		n := open(t, c) // makes the identity
		ids = append(ids, string(n.ID()))
		n.Close()
	}
	for _, c := range []*Config{ca, cb, cc} {
		c.Topology.Topology = settings.Topology{Graph: "edges", Edges: [][]float64{{0, 1}, {1, 2}}}
		c.Topology.Members = ids
	}
	b := start(open(t, cb))
	ca.Network.Peers, cc.Network.Peers = b.Addrs(), b.Addrs()
	a, c := start(open(t, ca)), start(open(t, cc))
	for r, want := range map[*running]int{a: 1, b: 2, c: 1} {
		eventually(t, fmt.Sprintf("%s has %d neighbours", r.config.Name, want), func() bool {
			return len(r.mesh.Stats().Neighbours) == want
		})
		before := r.Estimate().Round
		eventually(t, "rounds", func() bool { return r.Estimate().Round > before+10 })
	}
	a.stop(t)
	eventually(t, "b has lost one", func() bool { return len(b.mesh.Stats().Neighbours) == 1 })
	b.stop(t)
	if got := len(b.members.list); got != 3 {
		t.Errorf("b counts %d members of 3", got)
	}
	c.stop(t)
}

// TestLeavingIsQuickThoughNobodyListens holds up a goodbye: the neighbour is there and does not answer.
func TestLeavingIsQuickThoughNobodyListens(t *testing.T) {
	t.Parallel()
	var s said
	a := heard(t, agent(t, "a"), &s)
	stuck := launch(t, t.TempDir(), a.Addrs())
	s.eventually(t, "joined     child")
	stuck.pause(t)
	a.kill(nil)
	select {
	case <-a.done:
	case <-time.After(30 * time.Second): // a write that nobody takes may last a minute
		t.Fatal("the goodbye waits for a neighbour that does not read")
	}
	if a.err != nil {
		t.Error(a.err)
	}
}
