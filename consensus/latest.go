package consensus

// latest mixes the newest estimate of every live neighbour by a symmetric matrix, fresh or not: what
// a slow peer said last stays in the average until it says something newer.
type latest struct {
	onlyFresh bool // leave out estimates mixed before; slow peers' data then fade from the model
	damped    bool // weigh by inverse age
}

func (l *latest) gather(m *Machine) {
	degree, median := m.view.live(), m.medianBlock()
	for _, n := range m.view.neighbours {
		if !n.live {
			continue
		}
		if n.replica.Params == nil || (l.onlyFresh && !n.fresh()) {
			m.miss(n)
			continue
		}
		weight := metropolis(degree, n.degree)
		if l.damped {
			weight = damp(weight, Duration(m.now-n.replica.arrived), median)
		}
		m.take(n, &n.replica.Estimate, n.replica.arrived, weight)
	}
}

// damp divides a weight by 1 + max(0, age - 2 median)/median. What is taken off stays with the peer
// itself.
func damp(weight float64, age, median Duration) float64 {
	if median == 0 || age <= 2*median {
		return weight
	}
	return weight / (1 + float64(age-2*median)/float64(median))
}
