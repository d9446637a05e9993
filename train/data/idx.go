package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// idxWhite is the grey level that is scaled to 1.
const idxWhite = 255

// IDX reads the four files of a folder in the format of MNIST, compressed or not: train-images,
// train-labels, t10k-images and t10k-labels, each with the ending -idx3-ubyte or -idx1-ubyte. The t10k
// files are the held-out part. classes names the labels 0, 1, ...; nil: by their numbers.
func IDX(name, folder string, classes []string) (Split, error) {
	train, err := readPair(folder, "train")
	if err != nil {
		return Split{}, err
	}
	test, err := readPair(folder, "t10k")
	if err != nil {
		return Split{}, err
	}
	if train.width() != test.width() {
		return Split{}, fmt.Errorf("%s: train images have %d pixels, t10k images %d",
			folder, train.width(), test.width())
	}
	if classes == nil {
		classes = numbers(int(max(slices.Max(train.labels), slices.Max(test.labels))) + 1)
	}
	for _, p := range []pair{train, test} {
		if most := int(slices.Max(p.labels)); most >= len(classes) {
			return Split{}, fmt.Errorf("%s: label %d, but there are %d classes", folder, most, len(classes))
		}
	}
	return Split{
		Train: All(newImages(name, classes, train.pixels, train.labels, idxWhite)),
		Test:  All(newImages(name, classes, test.pixels, test.labels, idxWhite)),
	}, nil
}

// pair is a file of images and its file of labels.
type pair struct{ pixels, labels []byte }

func (p pair) width() int { return len(p.pixels) / len(p.labels) }

// readPair reads the images and labels of one part.
func readPair(folder, part string) (pair, error) {
	images, err := openIDX(folder, part+"-images", "idx3-ubyte")
	if err != nil {
		return pair{}, err
	}
	labels, err := openIDX(folder, part+"-labels", "idx1-ubyte")
	if err != nil {
		return pair{}, err
	}
	if len(labels.dims) != 1 {
		return pair{}, fmt.Errorf("%s: labels with %d dimensions, want 1", folder, len(labels.dims))
	}
	if images.dims[0] != labels.dims[0] {
		return pair{}, fmt.Errorf("%s: %d %s images, but %d labels", folder, images.dims[0], part, labels.dims[0])
	}
	return pair{images.values, labels.values}, nil
}

// openIDX reads one file, under any of the names it is handed around by.
func openIDX(folder, stem, format string) (idx, error) {
	for _, name := range []string{
		stem + "-" + format + ".gz", stem + "-" + format, stem + "." + format, stem + "." + format + ".gz",
	} {
		path := filepath.Join(folder, name)
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return idx{}, fmt.Errorf("read images: %w", err)
		}
		defer f.Close()
		file, err := readIDX(f)
		if err != nil {
			return idx{}, fmt.Errorf("%s: %w", path, err)
		}
		return file, nil
	}
	return idx{}, fmt.Errorf("%s: no file %s-%s, with or without .gz (%w): "+
		"set path to a folder with MNIST's four files", folder, stem, format, fs.ErrNotExist)
}

// idx is the content of one file: an array of bytes.
type idx struct {
	dims   []int
	values []byte
}

// readIDX reads two zero bytes, the type (8: bytes), the number of dimensions, the dimensions as
// big-endian 32-bit numbers, and the values.
func readIDX(r io.Reader) (idx, error) {
	r, err := inflate(r)
	if err != nil {
		return idx{}, err
	}
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil {
		return idx{}, fmt.Errorf("too short for an IDX file: %w", err)
	}
	if magic[0] != 0 || magic[1] != 0 || magic[2] != 8 || magic[3] < 1 || magic[3] > 4 {
		return idx{}, fmt.Errorf("starts with %x: not an IDX file of bytes with 1 to 4 dimensions", magic)
	}
	file := idx{dims: make([]int, magic[3])}
	total := int64(1)
	for i := range file.dims {
		var n uint32
		if err := binary.Read(r, binary.BigEndian, &n); err != nil {
			return idx{}, fmt.Errorf("dimension %d: %w", i+1, err)
		}
		file.dims[i] = int(n)
		if n == 0 || int64(n) > maxCells/total {
			return idx{}, fmt.Errorf("dimensions %v: must be above 0 and hold at most %d values",
				file.dims[:i+1], maxCells)
		}
		total *= int64(n)
	}
	if rows := int64(file.dims[0]); total/rows > maxFeatures {
		return idx{}, fmt.Errorf("dimensions %v: at most %d values a sample", file.dims, maxFeatures)
	}
	file.values, err = readExactly(r, total)
	return file, err
}

// readExactly reads total bytes and then the end. Memory grows with what is read, not with what a
// header promises.
func readExactly(r io.Reader, total int64) ([]byte, error) {
	values, err := io.ReadAll(io.LimitReader(r, total+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("after %d of %d values: %w", len(values), total, err)
	case int64(len(values)) < total:
		return nil, fmt.Errorf("truncated: %d of %d values", len(values), total)
	case int64(len(values)) > total:
		return nil, fmt.Errorf("more than the %d values of its dimensions", total)
	}
	return slices.Clip(values), nil
}
