package node

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/settings"
)

// tape is what a node was told and what it did, in order.
type tape struct {
	mu      sync.Mutex // the test looks at kinds while the node runs
	kinds   map[string]bool
	at      []consensus.Time
	events  []consensus.Event
	effects [][]string // of each event
}

func (r *tape) tell(now consensus.Time, ev consensus.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds[strings.Fields(fmt.Sprint(ev))[0]] = true
	r.at, r.events, r.effects = append(r.at, now), append(r.events, ev), append(r.effects, nil)
}

// has tells whether events of all kinds given came.
func (r *tape) has(kinds ...string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !slices.ContainsFunc(kinds, func(kind string) bool { return !r.kinds[kind] })
}

func (r *tape) watch(_ consensus.Time, effect consensus.Effect, _ consensus.Duration) {
	last := len(r.effects) - 1
	r.effects[last] = append(r.effects[last], fmt.Sprint(effect))
}

// TestReplay feeds what a real node was told to a fresh machine, which must do the same, line by line.
func TestReplay(t *testing.T) {
	t.Parallel()
	for _, recipe := range []string{"quorum", "pulse", "dybw"} {
		t.Run(recipe, func(t *testing.T) {
			t.Parallel()
			ca, cb := agent(t, "a"), agent(t, "b")
			ca.Train.Recipe, cb.Train.Recipe = settings.Recipe(recipe), settings.Recipe(recipe)
			r := tape{kinds: map[string]bool{}}
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
			eventually(t, "all kinds of events", func() bool {
				return r.has("wake", "rewired", "joined", "received", "trained", "sent", "mix-took")
			})
			before := ra.Estimate().Round
			eventually(t, "rounds", func() bool { return ra.Estimate().Round > before+20 })
			rb.stop(t)
			eventually(t, "a goodbye", func() bool { return r.has("left") })
			end := ra.stop(t)

			machine, err := consensus.New(config)
			if err != nil {
				t.Fatal(err)
			}
			for i, ev := range r.events {
				var got []string
				for _, effect := range machine.Step(r.at[i], ev) {
					got = append(got, fmt.Sprint(effect))
				}
				if strings.Join(got, "\n") != strings.Join(r.effects[i], "\n") {
					t.Fatalf("event %d, %s, gives\n%s\nand gave\n%s", i, ev,
						strings.Join(got, "\n"), strings.Join(r.effects[i], "\n"))
				}
			}
			if machine.Steps() != end.Steps || machine.Round() != end.Round {
				t.Errorf("the replay ends at step %d, round %d; the run at %d, %d",
					machine.Steps(), machine.Round(), end.Steps, end.Round)
			}
		})
	}
}
