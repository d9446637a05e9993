package settings_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/starling-ml/starling/internal/settings"
)

func TestLaterLayersWin(t *testing.T) {
	t.Parallel()
	base := "version: 1\nrun: base\ntrain: {recipe: dpsgd, lr: 0.1, local_steps: 1}\nnetwork: {listen: [a, b]}\n"
	lab := "train:\n  recipe: quorum\n  lr: 0.2\nnetwork:\n  listen: [c]\nrun: lab\n"
	s := settings.Sources{
		Files: []settings.File{{Name: "base.yaml", Text: []byte(base)}, {Name: "lab.yaml", Text: []byte(lab)}},
		Environ: []string{
			"HOME=/x", "STARLING_TRAIN__LR=0.3", "STARLING_RUN=env", "STARLING_TRAIN__RECIPE=", "STARLING_TOKEN=t",
		},
		Set: []string{"train.wait.quorum=2", "run=set"}, Reserved: []string{"STARLING_TOKEN"},
		Overrides: []settings.Override{{Origin: "--run", Path: "run", Value: "flag"}},
	}
	c, d := load(s)
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	if c.Run != "flag" || c.Train.LR != 0.3 || c.Train.Recipe != "quorum" || c.Train.Wait.Quorum != 2 ||
		c.Train.LocalSteps != 1 || !cmp.Equal(c.Network.Listen, []string{"c"}) {
		t.Errorf("got %+v", c)
	}
	for path, want := range map[string]string{
		"run": "--run", "train.lr": "STARLING_TRAIN__LR", "train.recipe": "lab.yaml:2",
		"train.wait.quorum": "--set", "train.local_steps": "base.yaml:3", "train.task.dataset": "default",
		"network.listen": "lab.yaml:5", "no.such.key": "default",
	} {
		if got := d.Origin(path); got != want {
			t.Errorf("Origin(%s) = %s, want %s", path, got, want)
		}
	}
	if d.Line("train.recipe") != 2 || d.Line("run") != 0 || d.Line("train.task.dataset") != 0 {
		t.Error("Line is not that of the layer that won")
	}
	if !d.Has("train.lr") || d.Has("train.momentum") {
		t.Error("Has does not tell what is set")
	}
}

func TestValuesTellTheirOrigin(t *testing.T) {
	t.Parallel()
	_, d := load(settings.Sources{
		Files: file("a.yaml", good+"sweep: {train.local_steps: [1, 2]}\n"),
		Set:   []string{"peers.slow.link.up=5MB/s", "train.task.classes=a, b"},
	})
	var got strings.Builder
	for _, v := range d.Values() {
		got.WriteString(v.Path + " " + v.Value + " " + v.Origin + "\n")
	}
	want := `version 1 a.yaml:1
run digits a.yaml:2
train.task.dataset digits default
train.task.scale standard default
train.task.classes [a b] --set
train.task.test_fraction 0.2 default
train.task.batch 16 default
train.recipe auto default
train.lr 0.1 default
network.listen [/ip4/0.0.0.0/tcp/4001] default
network.upload_limit 1Mbit default
peers.slow.name slow a.yaml:4
peers.slow.select 3 a.yaml:4
peers.slow.compute.step 10x a.yaml:4
peers.slow.link.up 40Mbit --set
peers.1.select 4-7 a.yaml:5
env.A b default
sweep.train.local_steps [1 2] a.yaml:6
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSetReachesEverything(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, set, path, want string }{
		{"new map", "train.wait.grace=15%", "train.wait.grace", "15%"},
		{"item by name", "peers.slow.compute.step=5x", "peers.slow.compute.step", "5x"},
		{"item by number", "peers.1.select=2", "peers.1.select", "2"},
		{"list in brackets", "network.listen=[x, y]", "network.listen", "[x y]"},
		{"list with commas", "network.listen=x, y", "network.listen", "[x y]"},
		{"empty list", "network.listen=", "network.listen", "[]"},
		{"map in braces", "train={recipe: dpsgd, lr: 1}", "train.recipe", "dpsgd"},
		{"text that looks like a number", "run=7", "run", "7"},
		{"text that looks like a truth", "run=true", "run", "true"},
		{"truth", "network.mdns=true", "network.mdns", "true"},
		{"equal signs", "env.A=b=c", "env.A", "b=c"},
		{"key with dots", "sweep.train.local_steps=[3]", "sweep.train.local_steps", "[3]"},
		{"no variables", "run=$HOME${HOME}", "run", "$HOME${HOME}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := good + "sweep: {train.local_steps: [1]}\n"
			_, d := load(settings.Sources{Files: file("a.yaml", text), Set: []string{c.set}})
			if err := d.Err(); err != nil {
				t.Fatal(err)
			}
			for _, v := range d.Values() {
				if v.Path == c.path && v.Value == c.want && v.Origin == "--set" {
					return
				}
			}
			t.Errorf("%s = %s from --set is not in %v", c.path, c.want, d.Values())
		})
	}
}

func TestProblemsOutsideFilesNameTheirOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		sources settings.Sources
		want    string
	}{
		{
			"set",
			settings.Sources{Set: []string{"train.local_steps=many"}},
			`--set: train.local_steps: expected a whole number, got "many"`,
		},
		{"set without value", settings.Sources{Set: []string{"run"}}, "--set run: has no value; write --set key=value"},
		{
			"set with a typing error",
			settings.Sources{Set: []string{"train.recipie=quorum"}},
			`--set: unknown key "train.recipie"; did you mean "recipe"?`,
		},
		{
			"set of an item that is not there",
			settings.Sources{Set: []string{"peers.fast.select=1"}},
			"--set: peers.fast.select: there is no such item in the list; use its name, or its number from 0",
		},
		{
			"set to what is not YAML",
			settings.Sources{Set: []string{"network.listen=[a"}},
			"--set: network.listen: sequence end token ']' not found",
		},
		{
			"variable",
			settings.Sources{Environ: []string{"STARLING_TRAIN__MIX=lates"}},
			`STARLING_TRAIN__MIX: train.mix: "lates" is not one of mutual, latest, fresh; did you mean "latest"?`,
		},
		{
			"variable with single underscores",
			settings.Sources{Environ: []string{"STARLING_TRAIN_LOCAL_STEPS=3"}},
			`STARLING_TRAIN_LOCAL_STEPS: unknown key "train_local_steps"; did you mean STARLING_TRAIN__LOCAL_STEPS?`,
		},
		{
			"flag",
			settings.Sources{Overrides: []settings.Override{{Origin: "--lr", Path: "train.lr", Value: "-1"}}},
			"--lr: train.lr: -1 must be more than 0",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.sources.Files = file("a.yaml", good)
			_, d := load(c.sources)
			want := c.want + "\n1 problem; schema: starling config schema"
			if err := d.Err(); err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestProblemsOfFilesComeFirst(t *testing.T) {
	t.Parallel()
	_, d := load(settings.Sources{
		Files: append(file("b.yaml", good+"x: 1\n"), settings.File{Name: "a.yaml", Text: []byte("y: 1\n")}),
		Set:   []string{"z=1"},
	})
	var places []string
	for _, p := range d.Err().(settings.Problems) {
		places = append(places, p.Where())
	}
	if diff := cmp.Diff([]string{"b.yaml:6:1", "a.yaml:1:1", "--set"}, places); diff != "" {
		t.Error(diff)
	}
}

func TestNoFilesAtAll(t *testing.T) {
	t.Parallel()
	_, d := load(settings.Sources{})
	want := "configuration: version: missing; begin the file with version: 1\n" +
		"configuration: run: missing; add it\n2 problems; schema: starling config schema"
	if got := d.Err().Error(); got != want {
		t.Errorf("got %s", got)
	}
}

func TestOverlayLaysAGroupOverTheDefaults(t *testing.T) {
	t.Parallel()
	_, d := load(settings.Sources{Files: file("a.yaml", good), Set: []string{"peers.slow.compute.jitter=5%"}})
	merged := settings.Compute{Step: settings.Span{Duration: 40e6}, Law: "occasional", Jitter: 0.1}
	d.Overlay("peers.slow.compute", &merged)
	want := settings.Compute{Step: settings.Span{Factor: 10}, Law: "occasional", Jitter: 0.05}
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Error(diff)
	}
	d.Overlay("peers.1.compute", &merged)
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("a section that is not there changed something: %s", diff)
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	text := good + `train:
  task: {dataset: csv, path: /dev/null, label: 7, classes: [a, 1]}
  wait: {quorum: 2, grace: 15%, timeout: 10x}
  stop: {time: 90s, target: {metric: eval/accuracy, at_least: 0.95}}
  pulse: {max_pieces: 4}
topology: {graph: circulant, degree: 2, seed: 7, add_edges: [[0, 4]]}
network: {buffer: 64KiB, upload_limit: 2.5MB/s, port: 80}
env: {B: "$${HOME} costs $5 or $$$$", C: "yes: [no", "1": "2"}
`
	c, d := load(settings.Sources{Files: file("a.yaml", text)})
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	c.Network.Listen, c.Network.UploadLimit = nil, 0 // zero where the default is not
	var out bytes.Buffer
	if err := settings.Write(&out, c, defaults()); err != nil {
		t.Fatal(err)
	}
	again, d := load(settings.Sources{Files: file("b.yaml", out.String())})
	if err := d.Err(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if diff := cmp.Diff(c, again, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-first +again:\n%s\n%s", diff, &out)
	}
}

func TestPathsAreRelativeToTheirFile(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct{ file, set, want string }{
		{"sub/key", "", "etc/sub/key"},
		{"/abs/key", "", "/abs/key"},
		{"~/key", "", filepath.Join(home, "key")},
		{"sub/key", "here", "here"},
	} {
		s := settings.Sources{Files: file("etc/a.yaml", good+"network: {token_file: "+c.file+"}\n")}
		if c.set != "" {
			s.Set = []string{"network.token_file=" + c.set}
		}
		got, d := load(s)
		if err := d.Err(); err != nil || got.Network.TokenFile != settings.Path(c.want) {
			t.Errorf("%+v: got %s, %v", c, got.Network.TokenFile, err)
		}
	}
}

func TestOpenReadsFilesAndSaysWhichItCannot(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.yaml")
	if _, err := settings.Open(name); err == nil || err.Error() != "read "+name+": no such file or directory" {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(name, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := settings.Open(name)
	if err != nil || len(files) != 1 || files[0].Name != name || string(files[0].Text) != good {
		t.Errorf("got %v, %v", files, err)
	}
}

// Some editors begin files with a mark that no eye can see.
func TestOpenSkipsTheByteOrderMark(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "marked.yaml")
	if err := os.WriteFile(name, []byte("\ufeffversion: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := settings.Open(name)
	if err != nil || string(files[0].Text) != "version: 1\n" {
		t.Errorf("%q, %v", files[0].Text, err)
	}
}

func TestHashIsOfTheValuesInForce(t *testing.T) {
	t.Parallel()
	hash := func(text string, set ...string) string {
		_, d := load(settings.Sources{Files: file("a.yaml", text), Set: set})
		return d.Hash()
	}
	if hash(good) != hash("# a comment\n"+good) || hash(good) != hash(good, "train.lr=0.1") {
		t.Error("comments, or where a value is from, change the hash")
	}
	if hash(good) == hash(good, "train.lr=0.2") {
		t.Error("another value has the same hash")
	}
}
