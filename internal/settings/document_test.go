package settings_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/starling-ml/starling/internal/settings"
)

func TestProblemPointsAtTheNearestThing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, want string }{
		{"run", "a.yaml:2:6"},                           // a value
		{"peers", "a.yaml:3:1"},                         // the key of a list
		{"peers.slow.compute.step", "a.yaml:4:45"},      // a value in a list
		{"peers.slow.compute", "a.yaml:4:29"},           // the key of a map
		{"peers.slow.link.latency", "a.yaml:4:5"},       // missing: the item
		{"peers.1", "a.yaml:5:5"},                       // an item
		{"train.recipe", "a.yaml:1:1"},                  // missing: the file
		{"peers.slow.compute.step.more", "a.yaml:4:39"}, // below a value
	} {
		_, d := load(settings.Sources{Files: file("a.yaml", good)})
		d.Problem(c.path, "is wrong", "")
		problems, _ := d.Err().(settings.Problems)
		if len(problems) != 1 || problems[0].Where() != c.want {
			t.Errorf("%s: got %v, want %s", c.path, problems, c.want)
		}
	}
}

func TestOneProblemAPath(t *testing.T) {
	t.Parallel()
	_, d := load(settings.Sources{Files: file("a.yaml", good+"topology: {degree: x}\n")})
	d.Problem("topology.degree", "is odd", "")   // has a problem
	d.Problem("topology", "cannot be built", "") // is above one
	d.Problem("run", "is taken", "")
	d.Problem("runs", "is another key", "")
	problems, _ := d.Err().(settings.Problems)
	var paths []string
	for _, p := range problems {
		paths = append(paths, p.Path)
	}
	if diff := cmp.Diff([]string{"runs", "run", "topology.degree"}, paths); diff != "" {
		t.Error(diff)
	}
}

func TestNothingMoreIsSaidAboutWhatIsNotYAML(t *testing.T) {
	t.Parallel()
	_, d := load(settings.Sources{Files: file("a.yaml", "{")})
	d.Problem("run", "is wrong", "")
	d.Warn("run", "W1", "is odd", "")
	if problems, _ := d.Err().(settings.Problems); len(problems) != 1 || len(d.Warnings()) != 0 {
		t.Errorf("got %v and %v", problems, d.Warnings())
	}
}

func TestWarningsAreNoErrorsUnlessDenied(t *testing.T) {
	t.Parallel()
	for _, deny := range []bool{false, true} {
		_, d := load(settings.Sources{Files: file("a.yaml", good), DenyWarnings: deny})
		d.Warn("run", "W012 dull", "is a dull name", "take another")
		if err := d.Err(); (err != nil) != deny {
			t.Errorf("deny %t: %v", deny, err)
		}
		want := "a.yaml:2:6: run: warning W012 dull: is a dull name; take another\n   2 | run: digits\n     |      ^\n"
		if got := d.Warnings().String(); got != want {
			t.Errorf("got %s", got)
		}
	}
}

func TestCheckAndOneOf(t *testing.T) {
	t.Parallel()
	_, d := load(settings.Sources{Files: file("a.yaml", good)})
	d.Check("run", nil)
	d.OneOf("run", "digits", []string{"digits"})
	d.OneOf("run", "anything", nil)
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	d.Check("run", errors.New("is taken; choose another; quickly"))
	d.OneOf("version", "digit", []string{"digits", "letters"})
	problems, _ := d.Err().(settings.Problems)
	got, err := json.Marshal(problems)
	want := `[{"source":"a.yaml","line":1,"column":10,"path":"version",` +
		`"what":"\"digit\" is not one of digits, letters","hint":"did you mean \"digits\"?"},` +
		`{"source":"a.yaml","line":2,"column":6,"path":"run","what":"is taken","hint":"choose another; quickly"}]`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

func TestKeysOfFiles(t *testing.T) {
	t.Parallel()
	files := append(file("a.yaml", good), settings.File{Name: "b.yaml", Text: []byte("train: {}\nrun: x\n")})
	files = append(files, file("c.yaml", "{")...)
	if diff := cmp.Diff([]string{"peers", "run", "train", "version"}, settings.Keys(files)); diff != "" {
		t.Error(diff)
	}
}

func TestLongLinesAreShownAroundTheProblem(t *testing.T) {
	t.Parallel()
	text := "version: 1\nrun: d\nenv: {A: " + strings.Repeat("a", 300) + ", B: 7, C: " + strings.Repeat("c", 300) + "}\n"
	_, d := load(settings.Sources{Files: file("a.yaml", text)})
	want := `a.yaml:3:315: env.B: expected text, got 7; put it in quotes: "7"
   3 | ` + strings.Repeat("a", 55) + ", B: 7, C: " + strings.Repeat("c", 54) + `
     | ` + strings.Repeat(" ", 60) + `^
1 problem; schema: starling config schema`
	if got := d.Err().Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
