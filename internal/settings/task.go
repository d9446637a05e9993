package settings

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/starling-ml/starling/train/task"
)

// Task is what is learned: data, model and the size of a mini-batch.
type Task struct {
	// Dataset is digits (built in), mnist, fashion-mnist, idx (a folder in MNIST's format) or csv.
	Dataset Dataset `yaml:"dataset,omitempty"`
	// Path is the file of csv or the folder of idx; optional for mnist and fashion-mnist.
	Path Path `yaml:"path,omitempty"`
	// Label is the column of a csv file to be learned.
	Label Word `yaml:"label,omitempty"`
	// Kind is classification or regression; by default regression for model linear.
	Kind string `yaml:"kind,omitempty" jsonschema:"enum=classification,enum=regression"`
	// Scale of the columns of a csv file: standard (mean 0, deviation 1 over the training part) or none.
	Scale string `yaml:"scale,omitempty" jsonschema:"enum=standard,enum=none"`
	// Classes are the classes of a csv file in order; by default those of the file, sorted.
	Classes []Word `yaml:"classes,omitempty"`
	// TestFraction is the share of digits and csv that is held out; the others come with a test part.
	TestFraction float64 `yaml:"test_fraction,omitempty" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1"`
	// Model is softmax, linear, or mlp- and the widths of the hidden layers: mlp-48, mlp-256-256.
	Model string `yaml:"model,omitempty"`
	// Batch is the number of samples of one step.
	Batch int `yaml:"batch,omitempty" jsonschema:"minimum=1,maximum=65536"`
}

// Dataset is the name of a data set.
type Dataset string

// Choices lists the data sets.
func (Dataset) Choices() []string { return task.Datasets() }

// spec is the part of a task that this section says.
func (t Task) spec() task.Spec {
	return task.Spec{
		Dataset: string(t.Dataset), Path: string(t.Path), Label: string(t.Label), Kind: t.Kind,
		Scale: t.Scale, Classes: Words(t.Classes), TestFraction: t.TestFraction,
		Model: t.Model, Batch: t.Batch,
	}
}

// taskKeys says where the section train keeps what messages of train/task begin with.
var taskKeys = map[string]string{
	"model": "task.model", "kind": "task.kind", "scale": "task.scale", "batch": "task.batch",
	"learning": "lr", "schedule": "lr_schedule", "momentum": "momentum", "weight": "weight_decay",
}

// validate reports what train/task finds wrong, at the key that it begins with.
func validate(d *Document, path string, spec task.Spec) {
	err := spec.Validate()
	if err == nil {
		return
	}
	word, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "unknown "), " ")
	d.Check(join(path, cmp.Or(taskKeys[word], "task")), err)
}

// check reports a path that leads nowhere.
func (t Task) check(d *Document, path string) {
	if t.Path == "" {
		return
	}
	if _, err := os.Stat(string(t.Path)); errors.Is(err, fs.ErrNotExist) {
		d.Problem(join(path, "path"), "there is no "+string(t.Path),
			"a path in a file is relative to the folder of that file")
	}
}
