package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/testnet/demo"
)

// screen is a board on a terminal.
func screen(out *bytes.Buffer) *board {
	c := demo.Default()
	return &board{
		config: c, out: out, live: true, width: 80, moments: make([]*testnet.Moment, 3), told: nil,
	}
}

func TestTheTableIsDrawnInPlace(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	b := screen(&out)
	b.moments[0] = &testnet.Moment{Reading: testnet.Reading{At: 1.5, Accuracy: 0.5}}
	b.draw(b.rows(nil))
	first := out.String()
	if strings.Contains(first, "\x1b[4A") || !strings.Contains(first, "at 1.5 s") ||
		strings.Count(first, "waits for its turn") != 2 {
		t.Errorf("first table %q", first)
	}
	for _, row := range strings.Split(first, "\n") {
		if n := len(strings.TrimPrefix(row, "\r\x1b[K")); n > 80 {
			t.Errorf("a row of %d columns breaks on a terminal of 80: %q", n, row)
		}
	}
	out.Reset()
	b.draw(b.rows(nil))
	if !strings.HasPrefix(out.String(), "\x1b[4A\r\x1b[K") {
		t.Errorf("the second table does not cover the first: %q", out.String())
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	b := screen(&out)
	orders := make(chan testnet.Action, 20)
	h := hand{board: b, orders: orders}
	for _, key := range "ssx" {
		h.press(byte(key))
	}
	for range 10 {
		h.press('k')
	}
	b.current = 1
	h.press('k')
	h.press('s')
	close(orders)
	var factors []float64
	var killed []int
	for a := range orders {
		if a.Do == testnet.Kill {
			killed = append(killed, a.Peer)
		} else {
			factors = append(factors, a.Factor)
		}
	}
	if want := []float64{0.1, 1, 0.1}; !slices.Equal(factors, want) {
		t.Errorf("factors %v, want %v", factors, want)
	}
	if want := []int{7, 6, 5, 4, 2, 1, 0, 7}; !slices.Equal(killed, want) {
		t.Errorf("killed %v, want %v", killed, want)
	}
	if !b.touched {
		t.Error("nobody will know that keys were pressed")
	}
}

func TestTerminalsGetCarriageReturns(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if n, err := (carriage{&out}).Write([]byte("a\nb\n")); n != 4 || err != nil || out.String() != "a\r\nb\r\n" {
		t.Error(n, err, out.String())
	}
}
