// Package data reads data sets, splits them into training and held-out parts and deals the training
// part to peers. What it returns is immutable: the peers of one process share it.
package data

import (
	"fmt"
	"strconv"
)

// Set is a table of samples: some inputs and one class or target each. Nobody writes to a set once it
// has been returned, so any number of goroutines may read it.
type Set struct {
	Name    string
	Columns []string // names of the inputs, in order
	Classes []string // names of the classes, in order of their index; nil for a regression
	Scaling Scaling  // how inputs were scaled
	Target  Line     // how regression targets were scaled

	x      []float32    // row-major and scaled; nil if pixels holds the inputs
	pixels []byte       // row-major; a fourth of the memory of x
	level  [256]float32 // scaled values of pixels
	y      []float32    // class indices or scaled targets
}

// Len returns the number of samples.
func (s *Set) Len() int { return len(s.y) }

// Features returns the number of inputs of a sample.
func (s *Set) Features() int { return len(s.Columns) }

// Read copies the scaled inputs of sample i to x and returns its class index or scaled target.
func (s *Set) Read(i int, x []float32) float32 {
	width := len(s.Columns)
	if s.pixels == nil {
		copy(x, s.x[i*width:(i+1)*width])
		return s.y[i]
	}
	for k, p := range s.pixels[i*width : (i+1)*width] {
		x[k] = s.level[p]
	}
	return s.y[i]
}

// Class returns the index of a class by its name.
func (s *Set) Class(name string) (int, error) {
	for i, known := range s.Classes {
		if known == name {
			return i, nil
		}
	}
	if s.Classes == nil {
		return 0, fmt.Errorf("data set %s has no classes: it is a regression", s.Name)
	}
	return 0, fmt.Errorf("data set %s has no class %q: it has %s", s.Name, name, quoteSome(s.Classes))
}

// newImages returns a set of images whose grey levels go from 0 to white.
func newImages(name string, classes []string, pixels, labels []byte, white float64) *Set {
	width := len(pixels) / len(labels)
	s := &Set{Name: name, Classes: classes, pixels: pixels, y: make([]float32, len(labels)), Target: identity}
	for i, label := range labels {
		s.y[i] = float32(label)
	}
	for i := range width {
		s.Columns = append(s.Columns, "x"+strconv.Itoa(i))
	}
	grey := Line{Deviation: white}
	s.Scaling = same(width, grey)
	for p := range s.level {
		s.level[p] = grey.Apply(float64(p))
	}
	return s
}

// Shard is some samples of a set.
type Shard struct {
	*Set
	rows []int32
}

// All returns the shard of all samples of a set.
func All(s *Set) Shard {
	rows := make([]int32, s.Len())
	for i := range rows {
		rows[i] = int32(i)
	}
	return Shard{s, rows}
}

// Len returns the number of samples in the shard.
func (s Shard) Len() int { return len(s.rows) }

// Read is Set.Read for the i-th sample of the shard.
func (s Shard) Read(i int, x []float32) float32 { return s.Set.Read(int(s.rows[i]), x) }

// Label returns the class index or scaled target of the i-th sample of the shard.
func (s Shard) Label(i int) float32 { return s.y[s.rows[i]] }

// Count returns the number of samples by class.
func (s Shard) Count() []int {
	count := make([]int, len(s.Classes))
	if len(count) > 0 {
		for i := range s.rows {
			count[int(s.Label(i))]++
		}
	}
	return count
}
