package task_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/task"
)

func TestSpecsThatCannotBe(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for _, c := range []struct {
		want string
		spec task.Spec
	}{
		{`unknown data set "cifar": known are csv, digits, fashion-mnist, idx, mnist`, task.Spec{Dataset: "cifar"}},
		{`unknown model "cnn": known are softmax, linear, mlp-48, mlp-256-256`, task.Spec{Model: "cnn"}},
		{`model "mlp-48-": "" is not the width`, task.Spec{Model: "mlp-48-"}},
		{`model "mlp-0": "0" is not the width`, task.Spec{Model: "mlp-0"}},
		{`model "mlp-99999999": "99999999" is not the width`, task.Spec{Model: "mlp-99999999"}},
		{`has 17 hidden layers: at most 16`, task.Spec{Model: "mlp" + strings.Repeat("-1", 17)}},
		{"data set digits has classes, not numbers", task.Spec{Model: "linear"}},
		{"model softmax predicts classes", task.Spec{
			Dataset: "csv", Path: "x", Label: "y", Model: "softmax", Kind: task.Regression,
		}},
		{"model linear predicts a number", task.Spec{
			Dataset: "csv", Path: "x", Label: "y", Model: "linear", Kind: task.Classification,
		}},
		{`unknown kind "ranking"`, task.Spec{Kind: "ranking"}},
		{`unknown scale "unit"`, task.Spec{Scale: "unit"}},
		{"data set csv: set label", task.Spec{Dataset: "csv", Path: "x"}},
		{"data set csv: set path to a file", task.Spec{Dataset: "csv", Label: "x"}},
		{"data set idx: set path to a folder", task.Spec{Dataset: "idx"}},
		{"data set digits is built in", task.Spec{Path: "digits.csv"}},
		{"data set mnist comes with its labels", task.Spec{Dataset: "mnist", Label: "x"}},
		{"batch -1", task.Spec{Batch: -1}},
		{"learning rate -1", task.Spec{LR: -1}},
		{"momentum 2", task.Spec{Momentum: 2}},
		{"unknown schedule", task.Spec{Schedule: train.Schedule{Kind: "x"}}},
		{"test fraction 2", task.Spec{TestFraction: 2}},
		{"no file train-images-idx3-ubyte", task.Spec{Dataset: "idx", Path: empty}},
		{"no file train-images-idx3-ubyte", task.Spec{Dataset: "mnist", Path: empty}},
		{"nowhere.csv", task.Spec{Dataset: "csv", Path: "nowhere.csv", Label: "x"}},
	} {
		if _, err := task.Load(c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v\nwant %s", err, c.want)
		}
	}
}

func TestFashionNamesItsPackage(t *testing.T) {
	t.Parallel()
	_, err := task.Load(task.Spec{Dataset: "fashion-mnist"})
	if err != nil && !strings.Contains(err.Error(), "package dataset-fashion-mnist") {
		t.Errorf("error %v, want the name of the package", err)
	}
	_, err = task.Load(task.Spec{Dataset: "fashion-mnist", Path: t.TempDir()})
	if err == nil || strings.Contains(err.Error(), "Debian") {
		t.Errorf("error %v, want none about packages when a path was given", err)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	want := task.Spec{
		Dataset: "digits", Kind: task.Classification, Scale: "standard", TestFraction: 0.2,
		Model: "mlp-48", Batch: 16, LR: 0.1,
	}
	if got := (task.Spec{}).WithDefaults(); !reflect.DeepEqual(got, want) {
		t.Errorf("defaults %+v, want %+v", got, want)
	}
	if got := (task.Spec{Model: "linear"}).WithDefaults().Kind; got != task.Regression {
		t.Errorf("kind of linear %q", got)
	}
	if got := (task.Spec{Kind: task.Regression}).WithDefaults().Model; got != "linear" {
		t.Errorf("model of a regression %q", got)
	}
}

func TestSpecAsJSON(t *testing.T) {
	t.Parallel()
	spec := task.Spec{Model: "mlp-8", LR: 0.5, Schedule: train.Schedule{Kind: "cosine", Steps: 9}}
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"model":"mlp-8","lr":0.5,"schedule":{"kind":"cosine","steps":9}}`; string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	var back task.Spec
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, spec) {
		t.Errorf("back again %+v, %v", back, err)
	}
}

// table writes a CSV file and returns its path.
func table(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
