package consensus

import "slices"

// heldLimit bounds the messages kept for a member list that is not ours yet.
const heldLimit = 64

// held keeps messages that make no sense under our member list, the oldest first, and of every sender
// only the newest estimate. They are heard again after the next Rewired, because lists change at
// different times at different peers and a round must not wait for ever for a message that came early.
type held []Received

func (h *held) keep(from Peer, message Message) {
	if _, ok := message.(Estimate); ok {
		*h = slices.DeleteFunc(*h, func(r Received) bool {
			_, also := r.Message.(Estimate)
			return also && r.From == from
		})
	}
	if len(*h) == heldLimit {
		copy(*h, (*h)[1:])
		*h = (*h)[:heldLimit-1]
	}
	*h = append(*h, Received{From: from, Message: message})
}

// hearHeld takes the kept messages again under the new list.
func (m *Machine) hearHeld() {
	kept := m.held
	m.held = nil
	for _, r := range kept {
		m.received(r.From, r.Message)
	}
}
