package checkpoint

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Tensor is one named float32 tensor, in row-major order.
type Tensor struct {
	Name   string
	Shape  []int
	Values []float32
}

// Limits of what ReadTensors accepts: a header of 16 MiB holds some 150,000 tensors.
const (
	maxHeaderBytes = 16 << 20
	metadataKey    = "__metadata__"
)

type tensorHeader struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// WriteTensors writes a safetensors file: eight bytes of header length, the header as JSON, and the
// values as little-endian float32 in the order given.
func WriteTensors(out io.Writer, tensors []Tensor, metadata map[string]string) error {
	header, err := encodeHeader(tensors, metadata)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(out, 1<<20)
	size := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	if _, err := buffered.Write(append(size, header...)); err != nil {
		return err
	}
	var word [4]byte
	for _, t := range tensors {
		for _, v := range t.Values {
			binary.LittleEndian.PutUint32(word[:], math.Float32bits(v))
			if _, err := buffered.Write(word[:]); err != nil {
				return err
			}
		}
	}
	return buffered.Flush()
}

func encodeHeader(tensors []Tensor, metadata map[string]string) ([]byte, error) {
	entries := make(map[string]any, len(tensors)+1)
	if len(metadata) > 0 {
		entries[metadataKey] = metadata
	}
	offset := int64(0)
	for _, t := range tensors {
		if n, err := elements(t.Shape); err != nil || n != int64(len(t.Values)) {
			return nil, fmt.Errorf("tensor %q: shape %v does not hold %d values", t.Name, t.Shape, len(t.Values))
		}
		if _, twice := entries[t.Name]; twice || t.Name == metadataKey {
			return nil, fmt.Errorf("tensor %q: the name is taken", t.Name)
		}
		end := offset + 4*int64(len(t.Values))
		entries[t.Name] = tensorHeader{"F32", slices.Clone(t.Shape), [2]int64{offset, end}}
		offset = end
	}
	header, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	// Spaces up to a multiple of eight align the values for readers that map the file.
	return append(header, strings.Repeat(" ", (8-len(header)%8)%8)...), nil
}

// ReadTensors reads a safetensors file of size bytes, whose tensors must all be F32. It returns them in
// the order of their values in the file. It never allocates more than the file's own size.
func ReadTensors(in io.Reader, size int64) ([]Tensor, map[string]string, error) {
	buffered := bufio.NewReaderSize(in, 1<<20)
	var length [8]byte
	if _, err := io.ReadFull(buffered, length[:]); err != nil {
		return nil, nil, fmt.Errorf("safetensors: %w", short(err))
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeaderBytes || int64(n) > size-8 {
		return nil, nil, fmt.Errorf("safetensors: header of %d bytes in a file of %d", n, size)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(buffered, header); err != nil {
		return nil, nil, fmt.Errorf("safetensors: %w", short(err))
	}
	tensors, metadata, err := decodeHeader(header, size-8-int64(n))
	if err != nil {
		return nil, nil, fmt.Errorf("safetensors: %w", err)
	}
	for i := range tensors {
		if err := readValues(buffered, tensors[i].Values); err != nil {
			return nil, nil, fmt.Errorf("safetensors: tensor %q: %w", tensors[i].Name, short(err))
		}
	}
	return tensors, metadata, nil
}

func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file is cut short")
	}
	return err
}

// decodeHeader checks that the tensors fill exactly the bytes of the body, and makes room for them.
func decodeHeader(header []byte, body int64) ([]Tensor, map[string]string, error) {
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, nil, err
	}
	metadata := map[string]string{}
	if raw, ok := entries[metadataKey]; ok {
		if err := json.Unmarshal(raw, &metadata); err != nil {
			return nil, nil, fmt.Errorf("metadata: %w", err)
		}
		delete(entries, metadataKey)
	}
	tensors, heads := make([]Tensor, 0, len(entries)), make(map[string]tensorHeader, len(entries))
	for name, raw := range entries {
		var head tensorHeader
		if err := json.Unmarshal(raw, &head); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		heads[name] = head
		tensors = append(tensors, Tensor{Name: name, Shape: head.Shape})
	}
	slices.SortFunc(tensors, func(a, b Tensor) int {
		x, y := heads[a.Name].Offsets, heads[b.Name].Offsets
		return 2*compare(x[0], y[0]) + compare(x[1], y[1])
	})
	if err := place(tensors, heads, body); err != nil {
		return nil, nil, err
	}
	for i, t := range tensors {
		offsets := heads[t.Name].Offsets
		tensors[i].Values = make([]float32, (offsets[1]-offsets[0])/4)
	}
	return tensors, metadata, nil
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// place checks that the tensors lie one after the other and end with the body.
func place(tensors []Tensor, heads map[string]tensorHeader, body int64) error {
	at := int64(0)
	for _, t := range tensors {
		head := heads[t.Name]
		if head.DType != "F32" {
			return fmt.Errorf("tensor %q is %s; only F32 is read", t.Name, head.DType)
		}
		n, err := elements(head.Shape)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		if head.Offsets[0] != at || n > (body-at)/4 || head.Offsets[1] != at+4*n {
			return fmt.Errorf("tensor %q: shape %v at %v does not fit: it starts at %d of %d bytes",
				t.Name, head.Shape, head.Offsets, at, body)
		}
		at += 4 * n
	}
	if at != body {
		return fmt.Errorf("%d bytes follow the last tensor", body-at)
	}
	return nil
}

// elements multiplies a shape without overflow.
func elements(shape []int) (int64, error) {
	n := int64(1)
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt32*1024/int64(d) {
			return 0, fmt.Errorf("shape %v is out of range", shape)
		}
		n *= int64(d)
	}
	return n, nil
}

func readValues(in io.Reader, values []float32) error {
	var chunk [32 << 10]byte
	for len(values) > 0 {
		n := min(len(values), len(chunk)/4)
		if _, err := io.ReadFull(in, chunk[:4*n]); err != nil {
			return err
		}
		for i := range n {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(chunk[4*i:]))
		}
		values = values[n:]
	}
	return nil
}
