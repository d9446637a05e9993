package checkpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/starling-ml/starling/train"
)

func tensors() []Tensor {
	return []Tensor{
		{Name: "fc.weight", Shape: []int{2, 3}, Values: []float32{1, -2, 3, 0.5, math.MaxFloat32, -0.25}},
		{Name: "fc.bias", Shape: []int{2}, Values: []float32{7, math.SmallestNonzeroFloat32}},
		{Name: "scale", Shape: []int{}, Values: []float32{9}},
		{Name: "none", Shape: []int{0, 4}, Values: []float32{}},
	}
}

func encode(t *testing.T, tensors []Tensor, metadata map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := WriteTensors(&out, tensors, metadata); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func decode(content []byte) ([]Tensor, map[string]string, error) {
	return ReadTensors(bytes.NewReader(content), int64(len(content)))
}

func TestTensorsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	metadata := map[string]string{"run": "lab"}
	content := encode(t, tensors(), metadata)
	got, meta, err := decode(content)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, byName)
	want := tensors()
	slices.SortFunc(want, byName)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(metadata, meta); diff != "" {
		t.Error(diff)
	}
	if header := binary.LittleEndian.Uint64(content); header%8 != 0 {
		t.Errorf("a header of %d bytes leaves the values unaligned", header)
	}
}

func byName(a, b Tensor) int { return strings.Compare(a.Name, b.Name) }

func TestTheFormatIsThatOfOtherPrograms(t *testing.T) {
	t.Parallel()
	got := encode(t, []Tensor{{Name: "w", Shape: []int{1, 2}, Values: []float32{1, -2}}}, nil)
	header := `{"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`
	want := "\x38\x00\x00\x00\x00\x00\x00\x00" + header + "\x00\x00\x80\x3f\x00\x00\x00\xc0"
	if string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTensorsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, bad := range [][]Tensor{
		{{Name: "a", Shape: []int{2}, Values: []float32{1}}},
		{{Name: "a", Shape: []int{-1}}},
		{{Name: "a", Shape: []int{0}}, {Name: "a", Shape: []int{0}}},
		{{Name: "__metadata__", Shape: []int{0}}},
	} {
		if err := WriteTensors(&bytes.Buffer{}, bad, nil); err == nil {
			t.Errorf("%v was written", bad)
		}
	}
}

// file builds a file with any header.
func file(header string, body int) []byte {
	content := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(content, header...), make([]byte, body)...)
}

func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	whole := encode(t, tensors(), nil)
	big := fmt.Sprint(int64(1) << 40)
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"empty", nil, "cut short"},
		{"half a length", whole[:5], "cut short"},
		{"half a header", whole[:40], "header of"},
		{"half the values", whole[:len(whole)-2], "does not fit"},
		{"a tail", append(slices.Clone(whole), 1, 2, 3, 4), "4 bytes follow"},
		{"a huge header", []byte("\xff\xff\xff\xff\xff\xff\xff\x7f{}"), "header of"},
		{"no JSON", file("hello", 0), "invalid"},
		{"null", file(`{"a":null}`, 0), "only F32"},
		{"doubles", file(`{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}`, 8), `tensor "a" is F64`},
		{"a huge shape", file(`{"a":{"dtype":"F32","shape":[`+big+`,`+big+`],"data_offsets":[0,4]}}`, 4), "out of range"},
		{"more than the file", file(`{"a":{"dtype":"F32","shape":[1000000],"data_offsets":[0,4000000]}}`, 4), "does not fit"},
		{"a negative size", file(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, 4), "out of range"},
		{"an overlap", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},`+
			`"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4), "does not fit"},
		{"a hole", file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8), "does not fit"},
		{"metadata of numbers", file(`{"__metadata__":{"a":1}}`, 0), "metadata"},
	} {
		if _, _, err := decode(c.content); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v does not say %q", c.name, err, c.want)
		}
	}
}

func FuzzReadTensors(f *testing.F) {
	var out bytes.Buffer
	if err := WriteTensors(&out, tensors(), map[string]string{"a": "b"}); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add(file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, meta, err := decode(content)
		if err != nil {
			return
		}
		values := 0
		for _, tensor := range got {
			values += len(tensor.Values)
		}
		if 4*values > len(content) {
			t.Fatalf("%d values of %d bytes", values, len(content))
		}
		again := encode(t, got, meta)
		if _, _, err := decode(again); err != nil {
			t.Fatalf("what was read and written cannot be read: %v", err)
		}
	})
}

func TestFlattenFollowsTheModel(t *testing.T) {
	t.Parallel()
	model := []train.Tensor{{Name: "fc.bias", Shape: []int{2}}, {Name: "fc.weight", Shape: []int{2, 3}}}
	have := tensors()[:2]
	flat, err := Flatten(have, model)
	if err != nil {
		t.Fatal(err)
	}
	if want := append(slices.Clone(have[1].Values), have[0].Values...); !slices.Equal(flat, want) {
		t.Errorf("got %v, want %v", flat, want)
	}
	for _, c := range []struct {
		have []Tensor
		want string
	}{
		{have[:1], `"fc.bias" is missing`},
		{[]Tensor{have[0], {Name: "fc.bias", Shape: []int{1, 2}, Values: []float32{1, 2}}}, "[1 2] in the file and [2]"},
		{tensors()[:3], "3 tensors, the model 2"},
	} {
		if _, err := Flatten(c.have, model); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v does not say %q", err, c.want)
		}
	}
}
