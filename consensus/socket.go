package consensus

// wait is the socket of WHEN: it decides when a peer that has published may mix.
type wait interface {
	// begin says that the peer has published and waits from now on.
	begin(m *Machine)
	// open tells whether the peer may mix now. It is asked after every event while the peer waits.
	open(m *Machine) bool
	// wake tells when to ask again if nothing happens before; Never if there is no need.
	wake(m *Machine) Time
}

// mixSet is the socket of WHOM: it decides with which estimates a peer mixes, and by which weights.
type mixSet interface {
	gather(m *Machine)
}

// rule is the socket of what a recipe does besides waiting and mixing. The zero rule is plain.
type rule interface {
	// steps returns the number of local steps of the next block.
	steps(m *Machine) int
	// apply adds a finished block to the estimate and may move the peer to a later round.
	apply(m *Machine, done Trained)
	// hear takes a message and returns why it changed nothing, or "".
	hear(m *Machine, from *neighbour, message Message) string
	// greet tells a neighbour that just became live, and has got the last publish, where the round is.
	greet(m *Machine, n *neighbour)
}

// clock is implemented by rules that act in the middle of a block.
type clock interface {
	wake(m *Machine) Time
	awake(m *Machine)
}
