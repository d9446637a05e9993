package consensus

import (
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/vec"
)

func TestComposeFillsInDefaults(t *testing.T) {
	for given, want := range map[string]Options{
		"": {
			Recipe: "auto", Pulse: &PulseOptions{MaxPieces: 8}, Gamma: 1, Codec: vec.Codec{Kind: vec.Auto, Block: 256},
		},
		"pulse":  {Recipe: "pulse", Pulse: &PulseOptions{MaxPieces: 8}},
		"quorum": {Recipe: "quorum", LocalSteps: 1, Mix: Latest, Weights: InverseAge},
		"backup": {Recipe: "backup", LocalSteps: 1, Mix: Mutual, Late: Skip, Fraction: 0.75},
		"dybw":   {Recipe: "dybw", LocalSteps: 1, Late: Skip},
		"dpsgd":  {Recipe: "dpsgd", LocalSteps: 1},
	} {
		c, err := Compose(Options{Recipe: given}, ring(5, 1))
		if err != nil {
			t.Fatal(err)
		}
		got := c.Options
		if got.Pulse != nil && want.Pulse != nil && *got.Pulse == *want.Pulse {
			got.Pulse, want.Pulse = nil, nil
		}
		if got != want {
			t.Errorf("%q: got %+v, want %+v", given, got, want)
		}
		if len(c.Warnings) > 0 {
			t.Errorf("%q: the defaults warn: %v", given, c.Warnings)
		}
		again, err := Compose(c.Options, nil)
		if err != nil || again.Options.Late != c.Options.Late || again.Options.Mix != c.Options.Mix {
			t.Errorf("%q: a complete set is not complete: %+v, %v", given, again, err)
		}
	}
}

// Sets that do not converge are refused, with the clash and the nearest set that works.
func TestComposeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		o    Options
		want []string
	}{
		"unknown recipe": {Options{Recipe: "dbsgd"}, []string{`"dbsgd" is unknown`, "pulse, quorum, dpsgd"}},
		"rate scaling over replicas": {
			Options{Recipe: "quorum", Participation: true}, []string{"does not go with replicas", "use recipe dybw"},
		},
		"rate scaling, backup latest": {
			Options{Recipe: "backup", Mix: Latest, Participation: true}, []string{"already count slow peers in full"},
		},
		"static degrees without mutual": {
			Options{Recipe: "quorum", StaticDegrees: true},
			[]string{"static_degrees needs edges agreed on", "use recipe dybw"},
		},
		"mutual without rounds": {Options{Recipe: "quorum", Mix: Mutual}, []string{"use recipe backup or dybw"}},
		"momentum over pieces":  {Options{Recipe: "pulse", Momentum: 0.5}, []string{"whole", "use recipe quorum"}},
		"momentum over edges":   {Options{Recipe: "dybw", Momentum: 0.5}, []string{"use recipe quorum"}},
		"several at once": {
			Options{Recipe: "backup", Fraction: 1.5, Late: "never", LocalSteps: -1, Quorum: -1, Grace: -1, Timeout: -1},
			[]string{"fraction 1.5", `late "never"`, "local_steps -1", "quorum -1", "grace -1", "timeout -1"},
		},
		"words": {
			Options{Recipe: "backup", Mix: "all", Weights: "equal", Momentum: 1},
			[]string{`mix "all"`, `weights "equal"`, "momentum 1"},
		},
		"pieces": {Options{Recipe: "pulse", Pulse: &PulseOptions{MaxPieces: -1}}, []string{"max_pieces -1"}},
	} {
		_, err := Compose(c.o, nil)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q in it", name, err, want)
			}
		}
	}
}

func TestComposeWarns(t *testing.T) {
	parts := ring(4, 1)
	lonely := ring(1, 1)
	for id, c := range map[string]Composition{
		"W001 option-unused":           compose(t, Options{Recipe: "dpsgd", Quorum: 2}),
		"W003 fresh-drops-slow":        compose(t, Options{Recipe: "quorum", Mix: Fresh}),
		"W004 mutual-without-coverage": compose(t, Options{Recipe: "backup", Late: Abort}),
		"W005 carry-waits":             compose(t, Options{Recipe: "dybw", Late: Carry}),
		"W006 quorum-is-all":           compose(t, Options{Recipe: "quorum", Quorum: 2}),
		"W007 large-momentum":          compose(t, Options{Recipe: "quorum", Momentum: 0.9}),
		"W010 constant-step":           compose(t, Options{Recipe: "adpsgd", RateCap: 1}),
		"W012 bound-holds-all":         compose(t, Options{Recipe: "dssp", MaxSkip: 1}),
		"W008 pulse-in-part":           compose(t, Options{Recipe: "pulse", Pulse: &PulseOptions{Jump: true}}),
	} {
		if len(c.Warnings) != 1 || c.Warnings[0].ID != id || c.Warnings[0].Text == "" {
			t.Errorf("want only %s, got %v", id, c.Warnings)
		}
	}
	c, err := Compose(Options{Recipe: "quorum", Robust: Clip, Codec: vec.Codec{Kind: vec.TopK}}, nil)
	if err != nil || len(c.Warnings) != 1 || c.Warnings[0].ID != "W011 lag-looks-hostile" {
		t.Errorf("clip with top-k: %v, %v", c.Warnings, err)
	}
	c, err = Compose(Options{}, join(parts, lonely))
	if err != nil || len(c.Warnings) != 1 || c.Warnings[0].ID != "W002 parts" {
		t.Errorf("two parts: %v, %v", c.Warnings, err)
	}
}

func compose(t *testing.T, o Options) Composition {
	t.Helper()
	c, err := Compose(o, ring(6, 1))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The registry is complete: every recipe runs, says everything about itself, and lists only options
// that exist.
func TestRecipesAreDocumented(t *testing.T) {
	names := []string{}
	for _, r := range Recipes() {
		names = append(names, r.Name)
		for what, text := range map[string]string{
			"title": r.Title, "wait": r.Wait, "mix": r.Mix, "equation": r.Equation, "source": r.Source,
			"when": r.When, "when not": r.WhenNot,
		} {
			if text == "" {
				t.Errorf("%s says no %s", r.Name, what)
			}
		}
		for _, option := range r.Options {
			if !slices.ContainsFunc(allOptions, func(o Option) bool { return o.Name == option.Name }) {
				t.Errorf("%s lists %q, which is no option", r.Name, option.Name)
			}
			if option.Default == "" || option.Meaning == "" {
				t.Errorf("%s: option %s has no default or meaning", r.Name, option.Name)
			}
		}
		if found, ok := LookupRecipe(r.Name); !ok || found.Title != r.Title {
			t.Errorf("%s is not found by its name", r.Name)
		}
	}
	if _, ok := LookupRecipe("none"); ok {
		t.Error("a recipe that does not exist was found")
	}
	slices.Sort(names)
	if once := slices.Compact(slices.Clone(names)); !slices.Equal(names, once) {
		t.Errorf("a recipe is listed twice: %v", names)
	}
}

func TestNewRefusesBrokenConfigs(t *testing.T) {
	good := Config{Self: "a", Members: letters(3), Graph: ring(3, 1), Params: []float32{1}}
	for want, change := range map[string]func(c *Config){
		"differ in length":      func(c *Config) { c.Members = letters(2) },
		"no initial parameters": func(c *Config) { c.Params = nil },
		"listed twice":          func(c *Config) { c.Members = []Peer{"a", "b", "a"} },
		"is unknown":            func(c *Config) { c.Options.Recipe = "x" },
	} {
		c := good
		change(&c)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	nobody := good
	nobody.Graph = nil
	if _, err := New(nobody); err == nil {
		t.Error("a config without a graph was taken")
	}
}
