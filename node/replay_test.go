package node

import (
	"fmt"
	"strings"
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/settings"
)

// tape is what a node was told and what it did, in order.
type tape struct {
	at      []consensus.Time
	events  []consensus.Event
	effects [][]string // of each event
}

func (r *tape) tell(now consensus.Time, ev consensus.Event) {
	r.at, r.events, r.effects = append(r.at, now), append(r.events, ev), append(r.effects, nil)
}

func (r *tape) watch(_ consensus.Time, effect consensus.Effect, _ consensus.Duration) {
	last := len(r.effects) - 1
	r.effects[last] = append(r.effects[last], fmt.Sprint(effect))
}

// TestReplay feeds what a real node was told to a fresh machine, which must do the same, line by line.
func TestReplay(t *testing.T) {
	for _, recipe := range []string{"quorum", "pulse", "dybw"} {
		t.Run(recipe, func(t *testing.T) {
			ca, cb := agent(t, "a"), agent(t, "b")
			ca.Train.Recipe, cb.Train.Recipe = settings.Recipe(recipe), settings.Recipe(recipe)
			var r tape
			a, err := Open(ca, Options{Minimal: true, Tape: r.tell, Watch: r.watch})
			if err != nil {
				t.Fatal(err)
			}
			config, err := a.machineConfig()
			if err != nil {
				t.Fatal(err)
			}
			cb.Network.Peers = a.Addrs()
			ra, rb := start(a), start(open(t, cb))
			eventually(t, "mixing", func() bool { return len(ra.mesh.Stats().Neighbours) == 1 && ra.Estimate().Round > 60 })
			rb.stop(t)
			end := ra.stop(t)

			machine, err := consensus.New(config)
			if err != nil {
				t.Fatal(err)
			}
			kinds := map[string]bool{}
			for i, ev := range r.events {
				var got []string
				for _, effect := range machine.Step(r.at[i], ev) {
					got = append(got, fmt.Sprint(effect))
				}
				kinds[strings.Fields(fmt.Sprint(ev))[0]] = true
				if strings.Join(got, "\n") != strings.Join(r.effects[i], "\n") {
					t.Fatalf("event %d, %s, gives\n%s\nand gave\n%s", i, ev,
						strings.Join(got, "\n"), strings.Join(r.effects[i], "\n"))
				}
			}
			for _, kind := range []string{"wake", "rewired", "joined", "received", "trained", "sent", "mix-took", "left"} {
				if !kinds[kind] {
					t.Errorf("the run had no %s", kind)
				}
			}
			if machine.Steps() != end.Steps || machine.Round() != end.Round {
				t.Errorf("the replay ends at step %d, round %d; the run at %d, %d",
					machine.Steps(), machine.Round(), end.Steps, end.Round)
			}
		})
	}
}
