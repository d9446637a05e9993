package task_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/starling-ml/starling/train/data"
	"github.com/starling-ml/starling/train/task"
)

// trained loads a task, lets one peer with all the data do some steps, and returns its parameters.
func trained(t testing.TB, s task.Spec, steps int) (*task.Task, []float32) {
	t.Helper()
	k, err := task.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	shards, err := k.Split([]data.Partition{{}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := k.Trainer(shards[0], 1, "alone")
	if err != nil {
		t.Fatal(err)
	}
	params := k.Initial(1)
	for range steps {
		if _, err := trainer.Step(params); err != nil {
			t.Fatal(err)
		}
	}
	return k, params
}

func TestModelsLearnTheirTask(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		spec     task.Spec
		steps    int
		accuracy float64
	}{
		{"digits mlp", task.Spec{LR: 0.4}, 1500, 0.95},
		{"digits softmax", task.Spec{Model: "softmax", LR: 1}, 3000, 0.955},
		{"digits momentum", task.Spec{LR: 0.05, Momentum: 0.9, WeightDecay: 1e-4}, 1500, 0.95},
		{"digits deep", task.Spec{Model: "mlp-32-32", LR: 0.2}, 1500, 0.94},
		{"mnist softmax", task.Spec{Dataset: "mnist", Model: "softmax", LR: 0.1, Batch: 32}, 500, 0.87},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k, params := trained(t, c.spec, c.steps)
			score, err := k.Evaluate(params)
			if err != nil {
				t.Fatal(err)
			}
			if score.Accuracy < c.accuracy {
				t.Errorf("accuracy %.3f, want %.3f or more", score.Accuracy, c.accuracy)
			}
		})
	}
}

// houses is a table in which the price is 1000 + 50 size - 10 age, but for a little noise.
func houses() string {
	var b strings.Builder
	b.WriteString("size,age,price\n")
	for i := range 200 {
		size, age := 50+i*37%100, i*13%60
		fmt.Fprintf(&b, "%d,%d,%d\n", size, age, 1000+50*size-10*age+i%3-1)
	}
	return b.String()
}

func TestRegressionSpeaksTheUnitOfTheFile(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"linear", "mlp-16"} {
		spec := task.Spec{Dataset: "csv", Path: table(t, houses()), Label: "price", Kind: task.Regression, Model: model}
		k, params := trained(t, spec, 2000)
		score, err := k.Evaluate(params)
		if err != nil {
			t.Fatal(err)
		}
		if limit := map[string]float64{"linear": 2, "mlp-16": 80}[model]; score.RMSE > limit {
			t.Errorf("%s: error %v, want %v or less", model, score.RMSE, limit)
		}
		answers, err := k.Predict(params, [][]float64{{100, 10}})
		if err != nil {
			t.Fatal(err)
		}
		if got := answers[0].Value; math.Abs(got-5900) > 150 || answers[0].Class != "" {
			t.Errorf("%s: predicts %v, want about 5900", model, answers[0])
		}
	}
}

func TestPredictClasses(t *testing.T) {
	t.Parallel()
	k, params := trained(t, task.Spec{LR: 0.4}, 800)
	score, err := k.EvaluateOn(params, 50)
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	for i := range k.Train().Features() {
		fmt.Fprintf(&file, "x%d,", i)
	}
	file.WriteString("label\n")
	x := make([]float32, k.Train().Features())
	for i := range 50 {
		class := int(k.Test().Read(i, x))
		for _, v := range x {
			fmt.Fprintf(&file, "%v,", v*16)
		}
		fmt.Fprintf(&file, "%s\n", k.Classes()[class])
	}
	rows, err := k.Rows(table(t, file.String()))
	if err != nil {
		t.Fatal(err)
	}
	answers, err := k.Predict(params, rows)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, a := range answers {
		if a.Class == k.Classes()[int(k.Test().Label(i))] {
			right++
		}
		if a.Probability < 0.1 || a.Probability > 1 {
			t.Errorf("row %d: probability %v", i, a.Probability)
		}
	}
	if got := float64(right) / 50; got != score.Accuracy {
		t.Errorf("%v of the predictions are right, the score says %v", got, score.Accuracy)
	}
	if _, err := k.Predict(params, [][]float64{{1, 2}}); err == nil {
		t.Error("predicted a row of two values")
	}
	if _, err := k.Predict(params[1:], rows); err == nil {
		t.Error("predicted with too few parameters")
	}
}

func TestPeersDrawInTheirOwnOrder(t *testing.T) {
	t.Parallel()
	k, err := task.Load(task.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	shards, err := k.Split(make([]data.Partition, 2), 7)
	if err != nil {
		t.Fatal(err)
	}
	after := func(root uint64, peer string) []float32 {
		trainer, err := k.Trainer(shards[0], root, peer)
		if err != nil {
			t.Fatal(err)
		}
		params := k.Initial(7)
		if _, err := trainer.Step(params); err != nil {
			t.Fatal(err)
		}
		return params
	}
	first := after(7, "a")
	if !slices.Equal(first, after(7, "a")) {
		t.Error("the same peer draws differently the second time")
	}
	if slices.Equal(first, after(7, "b")) || slices.Equal(first, after(8, "a")) {
		t.Error("another peer or seed draws the same batch")
	}
	if !slices.Equal(k.Initial(7), k.Initial(7)) || slices.Equal(k.Initial(7), k.Initial(8)) {
		t.Error("the initial estimate must depend on the seed and on nothing else")
	}
	if k.Size() != len(first) {
		t.Errorf("size %d of %d parameters", k.Size(), len(first))
	}
}

func TestTasksShareTheirData(t *testing.T) {
	t.Parallel()
	path := table(t, "x,y\n1,a\n2,b\n3,a\n4,b\n")
	spec := task.Spec{Dataset: "csv", Path: path, Label: "y", Model: "softmax"}
	load := func() *task.Task {
		k, err := task.Load(spec)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := load()
	if load().Train().Set != first.Train().Set {
		t.Error("the second task read the file again")
	}
	if err := os.WriteFile(path, []byte("x,y\n1,a\n2,b\n3,c\n4,b\n5,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	if got := load().Train().Len() + load().Test().Len(); got != 5 {
		t.Errorf("%d rows of a file that now has 5", got)
	}
	runtime.KeepAlive(first)
}

// TestBitsAreTheSameOnEveryAmd64 compares a whole run with that of another machine.
func TestBitsAreTheSameOnEveryAmd64(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("other architectures agree only with themselves")
	}
	k, params := trained(t, task.Spec{LR: 0.3, Momentum: 0.5}, 300)
	score, err := k.Evaluate(params)
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	if err := binary.Write(h, binary.LittleEndian, append(params, float32(score.Loss))); err != nil {
		t.Fatal(err)
	}
	if got, want := h.Sum64(), uint64(0x7f25b1044b5abe5d); got != want {
		t.Errorf("hash %#x, want %#x", got, want)
	}
}

// TestTasksThatCannotBeLearned looks for the mark by which a command tells them from failures.
func TestTasksThatCannotBeLearned(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]task.Spec{
		"model mlp-65536-65536 has 4299948042 parameters: at most 268435456": {Model: "mlp-65536-65536"},
		"no such file": {Dataset: "csv", Path: filepath.Join(t.TempDir(), "nowhere.csv"), Label: "y"},
	} {
		_, err := task.Load(s)
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, data.ErrUnusable) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
