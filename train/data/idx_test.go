package data_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/train/data"
)

// array returns an IDX file of bytes.
func array(values []byte, dims ...uint32) []byte {
	b := []byte{0, 0, 8, byte(len(dims))}
	for _, n := range dims {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return append(b, values...)
}

// small is a folder of 3 train and 2 t10k images of 1 x 2 pixels.
func small() map[string][]byte {
	return map[string][]byte{
		"train-images-idx3-ubyte": array([]byte{0, 255, 51, 102, 255, 0}, 3, 1, 2),
		"train-labels-idx1-ubyte": array([]byte{2, 0, 1}, 3),
		"t10k-images-idx3-ubyte":  array([]byte{1, 2, 3, 4}, 2, 1, 2),
		"t10k-labels-idx1-ubyte":  array([]byte{1, 1}, 2),
	}
}

// folder writes files and returns their folder.
func folder(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestIDXUnderItsNames(t *testing.T) {
	t.Parallel()
	rename := func(change func(name string, content []byte) (string, []byte)) map[string][]byte {
		files := map[string][]byte{}
		for name, content := range small() {
			name, content = change(name, content)
			files[name] = content
		}
		return files
	}
	for name, files := range map[string]map[string][]byte{
		"plain": small(),
		"zipped": rename(func(name string, content []byte) (string, []byte) {
			return name + ".gz", zipped(t, content)
		}),
		"dotted": rename(func(name string, content []byte) (string, []byte) {
			return strings.Replace(name, "-idx", ".idx", 1), content
		}),
		"zipped without saying so": rename(func(name string, content []byte) (string, []byte) {
			return name, zipped(t, content)
		}),
	} {
		split, err := data.IDX("tiny", folder(t, files), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		x := make([]float32, 2)
		if y := split.Train.Read(1, x); y != 0 || !slices.Equal(x, []float32{51.0 / 255, 102.0 / 255}) {
			t.Errorf("%s: second image %v of class %v, want 0.2, 0.4 of class 0", name, x, y)
		}
		if want := []string{"0", "1", "2"}; !slices.Equal(split.Test.Classes, want) || split.Test.Len() != 2 {
			t.Errorf("%s: %d test images of classes %v", name, split.Test.Len(), split.Test.Classes)
		}
	}
}

func TestBadIDX(t *testing.T) {
	t.Parallel()
	images, trainLabels, testImages := "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte"
	for _, c := range []struct {
		name, file string
		content    []byte
		want       string
	}{
		{"empty", images, nil, "too short for an IDX file"},
		{"text", images, []byte("size,weight\n"), "not an IDX file"},
		{"floats", images, []byte{0, 0, 13, 1, 0, 0, 0, 1, 0, 0, 0, 0}, "not an IDX file of bytes"},
		{"no dimensions", images, []byte{0, 0, 8, 3, 0, 0}, "dimension 1"},
		{"no images", images, array(nil, 0, 1, 2), "must be above 0"},
		{"huge", images, array(nil, 1<<31, 1<<31, 1<<31), "at most"},
		{"wide", images, array(nil, 1, 1<<11, 1<<11), "at most 1048576 values a sample"},
		{"truncated", images, array([]byte{1, 2, 3}, 3, 1, 2), "truncated: 3 of 6 values"},
		{"too long", images, array(make([]byte, 7), 3, 1, 2), "more than the 6 values"},
		{"broken gzip", images, zipped(t, array(make([]byte, 6), 3, 1, 2))[:20], "unexpected EOF"},
		{"not gzip", images, []byte{0x1f, 0x8b, 0, 0}, "decompress"},
		{"fewer labels", trainLabels, array([]byte{1, 2}, 2), "3 train images, but 2 labels"},
		{"flat labels", trainLabels, array([]byte{1, 2, 0}, 3, 1), "labels with 2 dimensions"},
		{"other width", testImages, array(make([]byte, 6), 2, 1, 3), "train images have 2 pixels, t10k images 3"},
		{"unknown class", trainLabels, array([]byte{1, 2, 3}, 3), "label 3, but there are 3 classes"},
	} {
		files := small()
		files[c.file] = c.content
		dir := folder(t, files)
		_, err := data.IDX("tiny", dir, []string{"a", "b", "c"})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
}

func TestMissingIDX(t *testing.T) {
	t.Parallel()
	files := small()
	delete(files, "t10k-labels-idx1-ubyte")
	_, err := data.IDX("tiny", folder(t, files), nil)
	const want = "no file t10k-labels-idx1-ubyte"
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want the file's name and that it does not exist", err)
	}
}
