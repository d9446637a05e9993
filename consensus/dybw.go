package consensus

// spanning is the cover of dybw, the threshold rule of Xiong, Yan, Singh and Li (2102.06280), without a
// sequencer: a cycle uses every edge of a spanning tree once, so the union of its rounds is connected.
type spanning struct {
	tree tree
	used []bool // by tree edge: in this cycle
	left int    // tree edges not used yet
}

func (s *spanning) plant(m *Machine, reached []bool) {
	s.tree.plant(m, reached)
	s.used = make([]bool, len(s.tree.edges))
	s.left = len(s.used)
}

func (s *spanning) restart() {
	clear(s.used)
	s.left = len(s.used)
}

func (s *spanning) wants(e edge) bool {
	i, ok := s.tree.find(e)
	return ok && !s.used[i]
}

// mark also remembers edges that are not in this peer's tree: views differ for a moment.
func (s *spanning) mark(e edge) bool {
	if i, ok := s.tree.find(e); ok && !s.used[i] {
		s.used[i] = true
		s.left--
	}
	return true
}

func (s *spanning) complete() bool { return s.left == 0 && len(s.used) > 0 }

func buildDYBW(m *Machine) {
	a := &agreement{closer: &established{cover: &spanning{}}, late: m.options.Late}
	m.rule, m.wait, m.mix = a, a, a
}
