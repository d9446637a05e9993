package data

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
)

//go:embed digits/digits.csv.gz
var digitsFile []byte

// The embedded images have 8 x 8 grey levels from 0 to 16.
const (
	digitsPixels = 64
	digitsWhite  = 16
)

// Digits returns the embedded handwritten digits (see digits/ATTRIBUTION.md) and holds a fraction out.
func Digits(fraction float64) (Split, error) {
	r, err := inflate(bytes.NewReader(digitsFile))
	if err != nil {
		return Split{}, fmt.Errorf("embedded digits: %w", err)
	}
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return Split{}, fmt.Errorf("embedded digits: %w", err)
	}
	var pixels, labels []byte
	for _, record := range records {
		for k, cell := range record {
			v, err := strconv.ParseUint(cell, 10, 8)
			if err != nil {
				return Split{}, fmt.Errorf("embedded digits: %w", err)
			}
			if k < digitsPixels {
				pixels = append(pixels, byte(v))
			} else {
				labels = append(labels, byte(v))
			}
		}
	}
	return holdOut(newImages("digits", numbers(10), pixels, labels, digitsWhite), fraction)
}

// numbers returns "0", "1", ...
func numbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}
