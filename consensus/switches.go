package consensus

// switches puts in what options add to any recipe, after the recipe has filled the sockets.
func (m *Machine) switches() {
}
