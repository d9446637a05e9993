package data

import "math"

// Line scales a value: (v - Mean) / Deviation.
type Line struct{ Mean, Deviation float64 }

var identity = Line{Deviation: 1}

// Apply scales a value as it stands in a file.
func (l Line) Apply(v float64) float32 { return float32((v - l.Mean) / l.Deviation) }

// Invert takes a scaled value back to the unit of the file.
func (l Line) Invert(v float32) float64 { return float64(float64(v)*l.Deviation) + l.Mean }

// Scaling is one Line for each input.
type Scaling []Line

// Apply returns a row, as it stands in a file, scaled.
func (s Scaling) Apply(row []float64) []float32 {
	scaled := make([]float32, len(row))
	for i, l := range s {
		scaled[i] = l.Apply(row[i])
	}
	return scaled
}

// same returns n equal lines.
func same(n int, l Line) Scaling {
	s := make(Scaling, n)
	for i := range s {
		s[i] = l
	}
	return s
}

// fit returns the line that scales some values to mean 0 and deviation 1. Values that are all the same,
// but for rounding, are only shifted to 0.
func fit(n int, value func(i int) float64) Line {
	sum, squares := 0.0, 0.0
	for i := range n {
		sum += value(i)
	}
	mean := sum / float64(n)
	for i := range n {
		d := value(i) - mean
		squares += float64(d * d)
	}
	deviation := math.Sqrt(squares / float64(n))
	if !(deviation > 1e-9*math.Abs(mean)) {
		deviation = 1
	}
	return Line{Mean: mean, Deviation: deviation}
}
