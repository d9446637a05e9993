package consensus

// joining is the cover of aau, the path search of Xiong, Yan, Wang and Li (2306.06559): any edge that
// joins two parts of the graph of used edges ends the round, and when all is one part, the next cycle
// begins. So there is no tree made beforehand: the peers that are fast now make it.
//
// The paper asks for an edge with an end that was not visited in this cycle. By that test two parts may
// grow until everybody is visited and no edge is left to join them: nobody goes on. Here the parts are
// counted instead (union-find), which needs the same messages. What joins nothing is not remembered:
// the parts are the same without it, in whatever order the edges are heard.
type joining struct {
	reached []bool
	parent  []int // by vertex; a root is its own
	parts   int   // among the reached
	most    int   // parts at the start of a cycle
}

func (j *joining) plant(_ *Machine, reached []bool) {
	j.reached, j.parent, j.most = reached, make([]int, len(reached)), 0
	for _, in := range reached {
		if in {
			j.most++
		}
	}
	j.restart()
}

func (j *joining) restart() {
	for vertex := range j.parent {
		j.parent[vertex] = vertex
	}
	j.parts = j.most
}

func (j *joining) wants(e edge) bool { return j.within(e) && j.root(e.u) != j.root(e.v) }

// mark also remembers edges that lead to members that this peer cannot reach: views differ for a moment.
func (j *joining) mark(e edge) bool {
	if !j.within(e) {
		return true
	}
	u, v := j.root(e.u), j.root(e.v)
	if u == v {
		return false
	}
	j.parent[v] = u
	j.parts--
	return true
}

func (j *joining) complete() bool { return j.parts == 1 && j.most > 1 }

// within tells whether both ends can be reached. A peer that is no member reaches nobody.
func (j *joining) within(e edge) bool {
	return e.v < len(j.reached) && j.reached[e.u] && j.reached[e.v]
}

// root returns the name of the part that a vertex is in, and shortens the way to it.
func (j *joining) root(vertex int) int {
	for j.parent[vertex] != vertex {
		j.parent[vertex] = j.parent[j.parent[vertex]]
		vertex = j.parent[vertex]
	}
	return vertex
}

var aauRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "aau", Title: "adaptive asynchronous updates",
		Wait: "until both ends of any edge have finished that joins two parts of the edges used in this " +
			"cycle (path search, no tree and no sequencer)",
		Mix:      "edges both ends agree on in this round, Metropolis weights on the active edges",
		Equation: "as dybw; the gradient of a late peer is of the estimate it had when it began",
		Source:   "Xiong, Yan, Wang, Li 2023, 2306.06559 (MobiHoc 2024)",
		When:     "as dybw, with shorter rounds: speed chooses the paths among all edges",
		WhenNot:  "updates must not be stale, or one peer is always slow and alone has data (see participation)",
		Options:  []Option{optSteps, optLate, optStatic, optParticipation, optTimeout, optTimeoutFactor},
	},
	build: buildAAU, defaults: defaultDYBW, pieces: piecesAAU,
}

func buildAAU(m *Machine) {
	a := &agreement{closer: &established{cover: &joining{}}, late: m.options.Late}
	m.rule, m.wait, m.mix = a, a, a
}

func piecesAAU(o Options) []socketPiece {
	return append(extras(o), mutualPiece(), socketPiece{name: "path search", gives: covered | rounds})
}
