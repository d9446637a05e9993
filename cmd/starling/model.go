package main

import (
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/node/checkpoint"
	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/train/task"
)

// newModel returns `starling model`.
func newModel() *cobra.Command {
	return group("model", "use what was learned", newModelEval(), newModelPredict())
}

// model are the flags with which a trained model is read.
type model struct{ inputs }

const modelLong = `MODEL is a folder of checkpoints, one checkpoint, or a safetensors file. The
task is that of the agent's configuration or the manifest given with -f; without
one it is the digits task with --set over it.`

// load returns the task and the parameters of the model at a path.
func (m *model) load(path string) (*task.Task, []float32, error) {
	spec, err := m.spec()
	if err != nil {
		return nil, nil, err
	}
	t, err := task.Load(spec)
	if err != nil {
		return nil, nil, exit{exitUsage, fmt.Errorf("load the data: %w", err)}
	}
	tensors, err := readModel(path)
	if err != nil {
		return nil, nil, exit{exitUsage, err}
	}
	params, err := checkpoint.Flatten(tensors, t.Tensors())
	if err != nil {
		return nil, nil, exit{exitUsage, fmt.Errorf("%s: %w; is this its task?", path, err)}
	}
	return t, params, nil
}

// spec returns the task that the files and flags say.
func (m *model) spec() (task.Spec, error) {
	files, err := m.read()
	if err != nil {
		return task.Spec{}, err
	}
	if len(files) == 0 {
		only := struct {
			Train settings.Train `yaml:"train"`
		}{settings.DefaultTrain()}
		document := settings.Load(&only, m.sources(kindTestnet, nil))
		only.Train.Check(document, "train", nil)
		return only.Train.Spec(), document.Err()
	}
	kind := kindOf(files)
	sources := m.sources(kind, files)
	if kind == kindTestnet {
		loaded, err := testnet.Load(sources)
		return loaded.Train.Spec(), err
	}
	config, _, err := node.Load(sources)
	return config.Train.Spec(), err
}

// readModel reads the tensors of a checkpoint or of a safetensors file.
func readModel(path string) (tensors []checkpoint.Tensor, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	parse := func(r io.Reader, size int64) (err error) {
		tensors, _, err = checkpoint.ReadTensors(r, size)
		return err
	}
	if info.IsDir() {
		found, err := checkpoint.Find(path)
		if err == nil {
			err = found.Read(checkpoint.ModelFile, parse)
		}
		return tensors, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := parse(file, info.Size()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tensors, nil
}

// finite returns a number for JSON, which has neither NaN nor infinity.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
