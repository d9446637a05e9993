package settings_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/starling-ml/starling/internal/settings"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// config is a configuration with everything that a real one has.
type config struct {
	Version  int               `yaml:"version"`
	Run      string            `yaml:"run" jsonschema:"required"`
	Topology settings.Topology `yaml:"topology,omitempty"`
	Train    settings.Train    `yaml:"train,omitempty"`
	Network  network           `yaml:"network,omitempty"`
	Peers    []group           `yaml:"peers,omitempty"`
	Env      map[string]string `yaml:"env,omitempty"`
	Sweep    map[string][]int  `yaml:"sweep,omitempty"`
}

type network struct {
	Listen      []string       `yaml:"listen,omitempty"`
	UploadLimit settings.Rate  `yaml:"upload_limit,omitempty"`
	Buffer      settings.Bytes `yaml:"buffer,omitempty"`
	MDNS        bool           `yaml:"mdns,omitempty"`
	Port        uint16         `yaml:"port,omitempty" jsonschema:"maximum=9999"`
	TokenFile   settings.Path  `yaml:"token_file,omitempty"`
}

type group struct {
	Name    string             `yaml:"name,omitempty"`
	Select  settings.Word      `yaml:"select" jsonschema:"required"`
	Compute settings.Compute   `yaml:"compute,omitempty"`
	Link    settings.Link      `yaml:"link,omitempty"`
	Data    settings.Partition `yaml:"data,omitempty"`
}

func defaults() *config {
	return &config{
		Train:   settings.DefaultTrain(),
		Network: network{Listen: []string{"/ip4/0.0.0.0/tcp/4001"}, UploadLimit: 125000},
		Env:     map[string]string{"A": "b"},
	}
}

// load reads a configuration and checks it as a command would.
func load(s settings.Sources) (*config, *settings.Document) {
	c := defaults()
	s.Version = 1
	d := settings.Load(c, s)
	c.Train.Check(d, "train", c.Topology.Check(d, "topology", 8, c.Train.Schedule))
	return c, d
}

func file(name, text string) []settings.File {
	return []settings.File{{Name: name, Text: []byte(text)}}
}

// good is a configuration without mistakes, for tests that add something to it.
const good = `version: 1
run: digits
peers:
  - {name: slow, select: 3, compute: {step: 10x}}
  - {select: 4-7}
`

// TestGallery compares what is said about bad files with testdata/gallery, to the letter.
func TestGallery(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/gallery/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no gallery: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, d := load(settings.Sources{
				Files:   file(filepath.Base(name), string(text)),
				Environ: []string{"LINES=a\nb", "RATE=0.5", "EMPTY="}, DenyWarnings: true,
			})
			got := "no problems\n"
			if err := d.Err(); err != nil {
				got = err.Error() + "\n"
			}
			golden(t, strings.TrimSuffix(name, ".yaml")+".want", got)
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got), -update rewrites it:\n%s", name, diff)
	}
}
