package consensus

import (
	"strings"
	"testing"
)

// The log of a peer, fed line by line to a fresh machine, gives its effects line by line.
func TestReplayOfALog(t *testing.T) {
	for name, o := range every() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newNetwork(t, ring(6, 2), o, spread)
			w.step = jitter(4, map[Peer]float64{"d": 5})
			w.learn = towards(0.2, map[Peer][]float32{"a": {5, 5}, "d": {-5, 1}})
			w.call(20_000, func() { w.kill("f", 300) })
			w.logging = true
			w.run(60_000)
			m, err := New(w.peers["d"].config)
			if err != nil {
				t.Fatal(err)
			}
			replay(t, m, w.log, "d")
		})
	}
}

func replay(t *testing.T, m *Machine, log []string, peer Peer) {
	t.Helper()
	var effects []string
	for _, line := range log {
		stamp, rest, _ := strings.Cut(line, " ")
		who, rest, _ := strings.Cut(rest, " ")
		way, what, _ := strings.Cut(rest, " ")
		if Peer(who) != peer {
			continue
		}
		if way == ">" {
			if len(effects) == 0 || effects[0] != what {
				t.Fatalf("at %s the log has %q, the replay %q", stamp, what, effects)
			}
			effects = effects[1:]
			continue
		}
		if len(effects) > 0 {
			t.Fatalf("at %s the replay does more than the log: %q", stamp, effects)
		}
		ev, err := ParseEvent(what)
		if err != nil {
			t.Fatal(err)
		}
		at, err := ParseEvent("mix-took duration=" + stamp)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range m.Step(Time(at.(MixTook).Duration), ev) {
			effects = append(effects, e.String())
		}
	}
}
