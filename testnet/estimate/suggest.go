package estimate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/train/pace"
)

// Question asks which graph suits a network of equal peers.
type Question struct {
	Peers     int
	DegreeMax int // most neighbours of a peer; 0: any number
	// Recipe waits for neighbours; empty: dpsgd.
	Recipe     string
	LocalSteps int // of a block; 0: the recipe's default
	Law        pace.Law
	Params     int     // of the model
	Up         float64 // bits per second of each uplink; 0: no limit
	Latency    float64 // seconds
	Seed       uint64  // of the random graphs
}

// Ranking are graphs, the best first.
type Ranking struct {
	V      int         `json:"v"`
	Recipe string      `json:"recipe"`
	Law    string      `json:"law"`
	Graphs []Candidate `json:"graphs"`
	Words  string      `json:"words"` // a sentence on the first one
}

// Candidate is a graph and what it is worth.
type Candidate struct {
	Graph  string `json:"graph"`
	Degree int    `json:"degree"`
	// Command makes it.
	Command string `json:"command"`
	// Gap is the spectral gap of its Metropolis weights: by which share of the distance to the mean a round
	// comes nearer to it.
	Gap float64 `json:"spectral_gap"`
	// Throughput is the number of blocks in a time, relative to that of peers that never wait.
	Throughput float64 `json:"throughput"`
	// Score is Gap * Throughput, how fast peers agree in the time of a block.
	Score float64 `json:"score"`
	Round float64 `json:"round_s"`

	edges int
}

// Suggest ranks graphs by how fast a network agrees on them in time: spectral gap times throughput. Only
// graphs whose peers have equally many neighbours are ranked.
func Suggest(q Question) (*Ranking, error) {
	if q.Peers < 2 || q.Peers > mostRanked {
		return nil, fmt.Errorf("%d peers: a network to suggest graphs for has 2 to %d", q.Peers, mostRanked)
	}
	if q.DegreeMax < 0 || q.DegreeMax == 1 && q.Peers > 2 {
		return nil, fmt.Errorf("a degree of at most %d: graphs of %d peers that hang together need 2 or more",
			q.DegreeMax, q.Peers)
	}
	if err := q.Law.Validate(); err != nil {
		return nil, err
	}
	r := &Ranking{V: Version, Recipe: cmp.Or(q.Recipe, "dpsgd"), Law: cmp.Or(q.Law.Kind, "constant")}
	seen := map[string]bool{}
	var refused error
	for _, spec := range q.specs() {
		g, err := topology.Generate(spec)
		if err != nil { // no torus of a prime number of peers
			continue
		}
		most := g.Degree(0)
		key := fmt.Sprint(g.Edges())
		if q.DegreeMax > 0 && most > q.DegreeMax || !regular(g) || seen[key] {
			continue
		}
		seen[key] = true
		c, err := q.weigh(spec, g)
		if err != nil {
			refused = err
			continue
		}
		r.Graphs = append(r.Graphs, c)
	}
	if len(r.Graphs) == 0 {
		return nil, cmp.Or(refused, errors.New("no graph has so few neighbours; raise --degree-max"))
	}
	slices.SortStableFunc(r.Graphs, func(a, b Candidate) int {
		if d := b.Score - a.Score; d > tie*a.Score || d < -tie*a.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(a.edges, b.edges)
	})
	r.Words = r.winner()
	return r, nil
}

// mostRanked is the number of peers up to which graphs are ranked: some seconds for all of them.
const mostRanked = 256

// tie is the share by which scores must differ to count as different: rounding differs between machines.
const tie = 1e-9

// specs are the graphs that are ranked, the simplest first; of equal ones the first counts.
func (q Question) specs() []topology.Spec {
	one := func(kind string, degree int) topology.Spec {
		return topology.Spec{Graph: kind, N: q.Peers, Degree: degree, Seed: q.Seed}
	}
	all := []topology.Spec{one("full", 0), one("ring", 0), one("torus", 0), one("exponential", 0)}
	for degree := 3; degree < q.Peers-1; degree = next(degree) {
		if degree%2 == 0 {
			all = append(all, one("circulant", degree))
		}
		all = append(all, one("random-regular", degree))
	}
	return all
}

// next is the degree that is tried next: 3, 4, 6, 8, 12, 16, 24, ...
func next(degree int) int {
	if degree == 3 || degree&(degree-1) != 0 {
		return degree / 3 * 4
	}
	return degree / 2 * 3
}

func regular(g *topology.Graph) bool {
	for v := range g.N() {
		if g.Degree(v) != g.Degree(0) || g.Degree(v) == 0 {
			return false
		}
	}
	return true
}

// weigh works out what a graph is worth.
func (q Question) weigh(spec topology.Spec, g *topology.Graph) (Candidate, error) {
	report := topology.Inspect(g)
	c := Candidate{
		Graph: spec.Graph, Degree: g.Degree(0), Gap: report.SpectralGap, edges: report.Edges,
		Command: fmt.Sprintf("starling topology gen %s -n %d", spec.Graph, spec.N),
	}
	if spec.Degree > 0 {
		c.Command += fmt.Sprintf(" --degree %d", spec.Degree)
	}
	if spec.Graph == "random-regular" {
		c.Command += fmt.Sprintf(" --seed %d", spec.Seed)
	}
	if !report.SpectrumKnown || !report.Connected {
		return c, fmt.Errorf("graph %s: how fast it mixes is not known", spec.Graph)
	}
	options := consensus.Options{Recipe: cmp.Or(q.Recipe, "dpsgd"), LocalSteps: q.LocalSteps}
	composed, err := consensus.Compose(options, g)
	if err != nil {
		return c, err
	}
	m, err := modelOf(composed.Options, g)
	if err != nil {
		return c, err
	}
	n := &network{options: composed.Options}
	n.lay(g)
	n.kinds = []kind{{count: float64(q.Peers), law: q.Law, rate: q.Up, latency: q.Latency}}
	n.write(q.Params)
	if err := n.blocks(); err != nil {
		return c, err
	}
	f, err := n.figures(m)
	if err != nil {
		return c, err
	}
	c.Round, c.Throughput = f.Round, f.Gradients*q.Law.Mean()/float64(q.Peers)
	c.Score = c.Gap * c.Throughput
	return c, nil
}

// winner says in a sentence why the first graph is the first.
func (r *Ranking) winner() string {
	best := r.Graphs[0]
	text := fmt.Sprintf("%s of degree %d wins: a round takes %s off the distance to the mean, and peers do %s of the "+
		"work of peers that never wait", best.Graph, best.Degree, percent(best.Gap), percent(best.Throughput))
	other := r.opposite()
	if other == nil {
		return text
	}
	but := "in"
	if (other.Gap > best.Gap) == (other.Round > best.Round) {
		but = "but in"
	}
	return fmt.Sprintf("%s; %s mixes %.2g times as much a round, %s rounds that take %.2g times as long", text,
		other.Graph, other.Gap/best.Gap, but, other.Round/best.Round)
}

// percent prints a share with two digits, of all as 100.
func percent(share float64) string {
	if share > 0.995 {
		return "all"
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}

// opposite is the graph to compare the first with: the densest, or the sparsest where that one wins.
func (r *Ranking) opposite() *Candidate {
	var dense, sparse *Candidate
	for i := range r.Graphs {
		c := &r.Graphs[i]
		if dense == nil || c.Degree > dense.Degree {
			dense = c
		}
		if sparse == nil || c.Degree < sparse.Degree {
			sparse = c
		}
	}
	switch {
	case dense.Degree == sparse.Degree:
		return nil
	case dense.Degree == r.Graphs[0].Degree:
		return sparse
	}
	return dense
}
