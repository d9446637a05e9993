package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/starling-ml/starling/testnet"
)

// errQuit ends a demo by a key.
var errQuit = errors.New("interrupted")

// interruptKey is what Ctrl-C sends where a program reads every key.
const interruptKey = 3

// keys lets somebody at a terminal disturb the lane that runs: s makes the slow peer fast and slow again,
// k kills a peer, q quits. It returns what gives the terminal back.
func (b *board) keys(plans []*testnet.Plan, quit context.CancelCauseFunc) (release func()) {
	in := int(os.Stdin.Fd())
	if !b.live || !term.IsTerminal(in) {
		return func() {}
	}
	before, err := term.MakeRaw(in)
	if err != nil {
		return func() {} // a terminal without keys is still good for looking
	}
	orders := make(chan testnet.Action, 8)
	for _, plan := range plans {
		plan.Orders = orders
	}
	plain := b.out
	b.out = carriage{plain}
	fmt.Fprint(b.out, "keys      s: slow peer fast or slow   k: kill a peer   q: quit\n\n")
	h := hand{board: b, orders: orders}
	go func() { // ends with the process: a read from a terminal cannot be ended
		key := make([]byte, 1)
		for {
			if _, err := os.Stdin.Read(key); err != nil {
				return
			}
			if key[0] == 'q' || key[0] == interruptKey {
				quit(errQuit)
				_ = term.Restore(in, before) // from here on Ctrl-C is a signal again
				return
			}
			h.press(key[0])
		}
	}()
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.out = plain
		_ = term.Restore(in, before) // nothing can be done about it
	}
}

// hand turns keys into actions on the lane that runs.
type hand struct {
	board  *board
	orders chan<- testnet.Action
	lane   int
	fast   bool // the slow peer, in this lane
	killed int  // peers, in this lane
}

func (h *hand) press(key byte) {
	h.board.mu.Lock()
	defer h.board.mu.Unlock()
	if h.lane != h.board.current {
		h.lane, h.fast, h.killed = h.board.current, false, 0
	}
	c := h.board.config
	var action testnet.Action
	switch key {
	case 's':
		h.fast = !h.fast
		action = testnet.Action{Do: testnet.Slow, Peer: c.SlowPeer(), Factor: 1}
		if h.fast {
			action.Factor = 1 / c.Slow
		}
	case 'k':
		if h.killed >= c.Peers-1 {
			return // somebody must be left
		}
		action = testnet.Action{Do: testnet.Kill, Peer: h.victim()}
		h.killed++
	default:
		return
	}
	h.board.touched = true
	select {
	case h.orders <- action:
	default: // too many at once
	}
}

// victim is the last peer that is alive, the slow one last of all.
func (h *hand) victim() int {
	c := h.board.config
	peer := c.Peers - 1 - h.killed
	if peer <= c.SlowPeer() {
		peer--
	}
	return max(peer, 0)
}

// carriage adds the carriage returns that a terminal wants where a program reads every key.
type carriage struct{ io.Writer }

// Write implements io.Writer.
func (c carriage) Write(p []byte) (int, error) {
	if _, err := c.Writer.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}
