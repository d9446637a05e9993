package consensus

// State returns what Restore needs to continue identically. Vectors in it are shared and immutable.
func (m *Machine) State() State { return State{} }

// Restore makes a machine from a config and a saved state.
func Restore(c Config, s State) (*Machine, error) { return New(c) }

// State is a machine between two blocks.
type State struct{}
