package consensus

// momentum is quasi-global momentum (Lin et al., 2102.04761) in displacements of whole blocks:
// before publishing x += beta*v, and after mixing v = beta*v + (1-beta)*(x - the block's first x).
// It follows the movement of the average instead of the local gradient.
type momentum struct {
	beta float32
	v    []float32
}

func (q *momentum) push(m *Machine) {
	if q.v != nil {
		m.x = add(m.x, q.beta, q.v)
	}
}

// learn takes the displacement of a finished block, mix included.
func (q *momentum) learn(m *Machine) {
	next := make([]float32, len(m.x))
	for i := range next {
		next[i] = float32((1 - q.beta) * (m.x[i] - m.block.snapshot[i]))
		if q.v != nil {
			next[i] += float32(q.beta * q.v[i])
		}
	}
	q.v = next
}
