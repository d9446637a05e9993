// Package task turns a few words (data set, model, optimizer) into something a peer can train and be
// judged on. The node and the simulator build the same task from the same words.
package task

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/starling-ml/starling/train"
)

// Spec names a task. The zero value is the digits task; see WithDefaults.
type Spec struct {
	// Dataset is digits (built in), mnist, fashion-mnist, idx (a folder in MNIST's format) or csv.
	Dataset string `json:"dataset,omitempty" yaml:"dataset,omitempty"`
	// Path is the file of csv or the folder of idx; optional for mnist and fashion-mnist.
	Path string `json:"path,omitempty" yaml:"path,omitempty"`
	// Label is the column of a csv file to be learned.
	Label string `json:"label,omitempty" yaml:"label,omitempty"`
	// Kind is classification or regression; empty: regression for model linear, else classification.
	Kind string `json:"kind,omitempty" yaml:"kind,omitempty"`
	// Scale is standard (mean 0, deviation 1 over the training part) or none. It concerns csv alone.
	// Peers that hold different files need none, and Classes.
	Scale string `json:"scale,omitempty" yaml:"scale,omitempty"`
	// Classes are the classes of a csv file in order; empty: those of the file, sorted.
	Classes []string `json:"classes,omitempty" yaml:"classes,omitempty"`
	// TestFraction is held out of digits and csv; the others come with a test part.
	TestFraction float64 `json:"test_fraction,omitempty" yaml:"test_fraction,omitempty"`

	// Model is softmax, linear, or mlp- and the widths of the hidden layers: mlp-48, mlp-256-256.
	Model string `json:"model,omitempty" yaml:"model,omitempty"`

	Batch       int            `json:"batch,omitempty"        yaml:"batch,omitempty"`
	LR          float64        `json:"lr,omitempty"           yaml:"lr,omitempty"`
	Schedule    train.Schedule `json:"schedule,omitzero"      yaml:"schedule,omitempty"`
	Momentum    float64        `json:"momentum,omitempty"     yaml:"momentum,omitempty"`
	WeightDecay float64        `json:"weight_decay,omitempty" yaml:"weight_decay,omitempty"`
}

// Kinds of tasks and scales.
const (
	Classification = "classification"
	Regression     = "regression"

	scaleStandard = "standard"
	scaleNone     = "none"
)

// WithDefaults fills empty fields.
func (s Spec) WithDefaults() Spec {
	fill(&s.Dataset, "digits")
	if s.Kind == "" && s.Model == "linear" {
		s.Kind = Regression
	}
	fill(&s.Kind, Classification)
	fill(&s.Scale, scaleStandard)
	if s.Model == "" {
		s.Model = "mlp-48"
		if s.Kind == Regression {
			s.Model = "linear"
		}
	}
	fill(&s.TestFraction, 0.2)
	fill(&s.Batch, 16)
	fill(&s.LR, 0.1)
	return s
}

// fill sets a zero value.
func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Validate checks a spec, once it has its defaults, as far as that goes without reading data. It names
// what is known when a name is not.
func (s Spec) Validate() error {
	source, known := sources[s.Dataset]
	switch {
	case !known:
		return unknown("data set", s.Dataset, Datasets())
	case s.Kind != Classification && s.Kind != Regression:
		return unknown("kind", s.Kind, []string{Classification, Regression})
	case s.Scale != scaleStandard && s.Scale != scaleNone:
		return unknown("scale", s.Scale, []string{scaleStandard, scaleNone})
	case s.Kind == Regression && !source.table:
		return fmt.Errorf("data set %s has classes, not numbers to predict: use model softmax or mlp-48", s.Dataset)
	case source.table && s.Label == "":
		return fmt.Errorf("data set %s: set label to the name of the column to be learned", s.Dataset)
	case source.needsPath && s.Path == "":
		return fmt.Errorf("data set %s: set path to %s", s.Dataset, source.path)
	case !source.table && (s.Label != "" || len(s.Classes) > 0):
		return fmt.Errorf("data set %s comes with its labels: drop label and classes, or use dataset: csv", s.Dataset)
	case s.Dataset == "digits" && s.Path != "":
		return fmt.Errorf("data set digits is built in: drop path %s, or use dataset: csv or idx", s.Path)
	}
	if _, err := s.hidden(); err != nil {
		return err
	}
	return s.descent().Validate()
}

// descent returns how the task is trained.
func (s Spec) descent() train.Descent {
	return train.Descent{
		Batch: s.Batch, Rate: s.LR, Schedule: s.Schedule, Momentum: s.Momentum, Decay: s.WeightDecay,
	}
}

// maxWidth limits a hidden layer.
const maxWidth = 1 << 16

// hidden returns the widths of the model's hidden layers.
func (s Spec) hidden() ([]int, error) {
	switch {
	case s.Model == "softmax" && s.Kind == Regression:
		return nil, fmt.Errorf("model softmax predicts classes, and kind is regression: use model linear or mlp-48")
	case s.Model == "linear" && s.Kind == Classification:
		return nil, fmt.Errorf("model linear predicts a number, and kind is classification: use model softmax")
	case s.Model == "softmax" || s.Model == "linear":
		return nil, nil
	}
	widths, ok := strings.CutPrefix(s.Model, "mlp-")
	if !ok {
		return nil, unknown("model", s.Model, Models())
	}
	var hidden []int
	for part := range strings.SplitSeq(widths, "-") {
		width, err := strconv.Atoi(part)
		if err != nil || width < 1 || width > maxWidth {
			return nil, fmt.Errorf("model %q: %q is not the width of a layer (1 to %d), as in mlp-48 or mlp-256-256",
				s.Model, part, maxWidth)
		}
		hidden = append(hidden, width)
	}
	if len(hidden) > 16 {
		return nil, fmt.Errorf("model %q has %d hidden layers: at most 16", s.Model, len(hidden))
	}
	return hidden, nil
}

// Models lists the names of models; mlp- takes the widths of its hidden layers.
func Models() []string { return []string{"softmax", "linear", "mlp-48", "mlp-256-256"} }

// Datasets lists the names of data sets.
func Datasets() []string {
	var names []string
	for name := range sources {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func unknown(what, name string, known []string) error {
	return fmt.Errorf("unknown %s %q: known are %s", what, name, strings.Join(known, ", "))
}
