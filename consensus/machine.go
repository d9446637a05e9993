// Package consensus is the core: what one peer decides, as a function of state, time and event.
package consensus

// Machine is one peer. It is not safe for concurrent use.
type Machine struct{}

// New returns a machine that starts at the first Wake.
func New(c Config) (*Machine, error) { panic("being built") }

// Step tells the machine that ev happened at now and returns what the driver must do, in order. It
// never blocks and never fails: an input that changes nothing yields Ignored with a reason, a broken
// invariant panics. now must not decrease. The slice is valid until the next Step.
func (m *Machine) Step(now Time, ev Event) []Effect { panic("being built") }

// Wake returns the time at which the driver must next feed Wake. It changes only within Step.
func (m *Machine) Wake() Time { panic("being built") }

// Params returns the current estimate; nobody writes it. Round and Steps tell how far it is.
func (m *Machine) Params() []float32 { panic("being built") }
func (m *Machine) Round() uint64     { panic("being built") }
func (m *Machine) Steps() uint64     { panic("being built") }

// State returns what Restore needs to continue identically. Vectors in it are shared and immutable.
func (m *Machine) State() State { panic("being built") }

// Restore makes a machine from a config and a saved state.
func Restore(c Config, s State) (*Machine, error) { panic("being built") }

// State is a machine between two blocks.
type State struct{}
