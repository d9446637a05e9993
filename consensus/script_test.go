package consensus

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// Interaction scripts: one machine, fed by hand. Run with -rewrite to accept new output, and read the
// difference before you commit it.
//
//	new self=a members=(a,b,c) edges=(0-1,1-2) recipe=dpsgd
//	step t=100
//	trained block=1 steps=1 params=[1,2]
//	----
//	the effects, one a line, and when the machine wants to be woken
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		s := &script{}
		datadriven.RunTest(t, path, s.run)
	})
}

type script struct {
	m      *Machine
	config Config
	saved  State
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "new":
		s.config = scriptConfig(t, d)
		m, err := New(s.config)
		if err != nil {
			return err.Error()
		}
		s.m = m
		return "ok"
	case "step":
		var at int64
		d.ScanArgs(t, "t", &at)
		return s.step(Time(at), d.Input)
	case "show":
		return fmt.Sprintf("round=%d steps=%d params=%v", s.m.Round(), s.m.Steps(), s.m.Params())
	case "save":
		s.saved = s.m.State()
		return fmt.Sprintf("round=%d vectors=%d", s.saved.Round, len(s.saved.Vectors))
	case "restore":
		m, err := Restore(s.config, s.saved)
		if err != nil {
			return err.Error()
		}
		s.m = m
		return "ok"
	}
	t.Fatalf("unknown command %q", d.Cmd)
	return ""
}

func (s *script) step(at Time, input string) string {
	var out strings.Builder
	for text := range strings.Lines(input) {
		ev, err := ParseEvent(strings.TrimSpace(text))
		if err != nil {
			return err.Error()
		}
		for _, e := range s.m.Step(at, ev) {
			fmt.Fprintln(&out, e)
		}
	}
	if wake := s.m.Wake(); wake != Never {
		fmt.Fprintf(&out, "wake at %d\n", wake)
	}
	if out.Len() == 0 {
		return "-"
	}
	return out.String()
}

// scriptConfig reads the arguments of new.
func scriptConfig(t *testing.T, d *datadriven.TestData) Config {
	c := Config{Params: []float32{0, 0}}
	var event []string
	for _, arg := range d.CmdArgs {
		value := strings.Join(arg.Vals, ",")
		switch arg.Key {
		case "self":
			c.Self = Peer(value)
		case "members", "edges", "slow", "epoch":
			event = append(event, arg.Key+"="+value)
		case "connected":
			for _, name := range arg.Vals {
				c.Connected = append(c.Connected, Peer(name))
			}
		case "params":
			c.Params = nil
			for _, text := range arg.Vals {
				f, err := strconv.ParseFloat(text, 32)
				if err != nil {
					t.Fatal(err)
				}
				c.Params = append(c.Params, float32(f))
			}
		case "save-every":
			c.SaveEvery = Duration(number(t, value))
		case "join":
			c.Join = true
		default:
			scriptOption(t, &c.Options, arg.Key, value)
		}
	}
	ev, err := ParseEvent("rewired " + strings.Join(event, " "))
	if err != nil {
		t.Fatal(err)
	}
	r := ev.(Rewired)
	c.Members, c.Graph, c.Epoch, c.Slow = r.Members, r.Graph, r.Epoch, r.Slow
	return c
}

func scriptOption(t *testing.T, o *Options, key, value string) {
	switch key {
	case "recipe":
		o.Recipe = value
	case "late":
		o.Late = Late(value)
	case "mix":
		o.Mix = MixSet(value)
	case "weights":
		o.Weights = Weighting(value)
	case "local-steps":
		o.LocalSteps = int(number(t, value))
	case "quorum":
		o.Quorum = int(number(t, value))
	case "grace":
		o.Grace = Duration(number(t, value))
	case "timeout":
		o.Timeout = Duration(number(t, value))
	case "fraction":
		o.Fraction = number(t, value)
	case "momentum":
		o.Momentum = number(t, value)
	case "static":
		o.StaticDegrees = true
	case "participation":
		o.Participation = true
	case "max-pieces":
		o.Pulse = &PulseOptions{MaxPieces: int(number(t, value))}
	default:
		t.Fatalf("unknown argument %q", key)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
