package settings_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/starling-ml/starling/internal/settings"
)

type config struct {
	Version  int               `yaml:"version"`
	Name     string            `yaml:"name" jsonschema:"required"`
	Topology settings.Topology `yaml:"topology,omitempty"`
	Train    settings.Train    `yaml:"train,omitempty"`
	Network  network           `yaml:"network,omitempty"`
	Groups   []group           `yaml:"groups,omitempty"`
	Compute  settings.Compute  `yaml:"compute,omitempty"`
	Env      map[string]string `yaml:"env,omitempty"`
}

type network struct {
	Listen      []string      `yaml:"listen,omitempty"`
	UploadLimit settings.Rate `yaml:"upload_limit,omitempty"`
	MDNS        bool          `yaml:"mdns,omitempty"`
	TokenFile   settings.Path `yaml:"token_file,omitempty"`
}

type group struct {
	Name    string           `yaml:"name"`
	Select  settings.Word    `yaml:"select"`
	Compute settings.Compute `yaml:"compute,omitempty"`
	Link    settings.Link    `yaml:"link,omitempty"`
}

func TestTry(t *testing.T) {
	text := `version: 1
name: 5
topology: {graph: rings, degree: -1}
train:
  task: {dataset: digit, model: mlp-x, batch: 1.5}
  recipe: quorm
  lr: "0.1"
  batch_sise: 4
  wait: {quorum: 2, grace: 15, timeout: 10x}
  lr: 3
  stop: {time: 90, target: {metric: eval/acc}}
network:
  listen: foo
  mdns: maybe
  token: abc
  upload_limit: 50
groups:
  - {name: slow, select: 3, compute: {step: 10}}
  - {name: b, sel: 4}
env: {A: 1}
`
	c := config{Train: settings.DefaultTrain()}
	d := settings.Load(&c, settings.Sources{Version: 1, Files: []settings.File{{Name: "bad.yaml", Text: []byte(text)}},
		Environ: []string{"STARLING_TRAIN__LOCAL_STEP=3", "STARLING_NETWORK__LISTEN=a,b"},
		Set:     []string{"train.wait.quorum=x", "groups.slow.compute.jitter=10%", "groups.zap.x=4"}})
	g := c.Topology.Check(d, "topology", 8)
	c.Train.Check(d, "train", g)
	fmt.Println(d.Err())
	for _, v := range d.Values() {
		fmt.Println(v)
	}
	settings.Write(os.Stdout, c)
}
