package consensus

// stretch is the product of what switches multiply the update of a block of so many local steps by.
func (m *Machine) stretch(steps int) float32 {
	scale := float32(1)
	if m.options.Normalise {
		scale *= m.normaliser(steps)
	}
	if m.division != nil {
		scale *= float32(m.block.share.Batch)
	}
	return scale
}
