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

// speaker is implemented by rules that end a block with something else than a publish to everybody.
type speaker interface {
	// speak says what a peer says that has applied a block of so many local steps.
	speak(m *Machine, steps int)
}

// finisher is implemented by rules that act on the mix of a round, before the next block begins.
type finisher interface {
	mixed(m *Machine)
}

// drifter is implemented by rules that correct every local step.
type drifter interface {
	// drift is added to the parameters after every local step of the next block; nil: nothing.
	drift(m *Machine) []float32
}

// rewirer is implemented by rules that depend on the member list or the graph.
type rewirer interface {
	// rewired says that the view has changed; neighbours that left are still nobody's.
	rewired(m *Machine)
}

// link is the socket of WHAT goes over one link: it writes a publish for one neighbour and reads what a
// neighbour wrote. A machine without one sends the whole estimate to everybody.
type link interface {
	// frame returns the last publish for a neighbour, or false when there is nothing to send it now.
	frame(m *Machine, n *neighbour) (Estimate, bool)
	// read turns what a neighbour sent into an estimate with all its parameters, or says why not.
	read(m *Machine, n *neighbour, e Estimate) (Estimate, string)
	// resolved says that a frame has arrived, or that it will not.
	resolved(m *Machine, n *neighbour, seq uint64, arrived bool)
	// lost forgets a link that is down: the next frame to that neighbour builds on nothing.
	lost(m *Machine, n *neighbour)
}
