package topology

import (
	"fmt"
	"math"
)

// ring joins i with i+1, and the last with the first.
func ring(s Spec) (*Graph, error) { return byOffsets(s.N, []int{1}), nil }

// exponential joins i with i +- 2^k: about 2 log2 N neighbours and a diameter below log2 N (Assran and
// others 2019, made undirected).
func exponential(s Spec) (*Graph, error) {
	var offsets []int
	for d := 1; d < s.N; d *= 2 {
		offsets = append(offsets, d)
	}
	return byOffsets(s.N, offsets), nil
}

// circulant joins i with i +- 1 to i +- degree/2.
func circulant(s Spec) (*Graph, error) {
	degree, err := s.evenDegree()
	if err != nil {
		return nil, err
	}
	return byOffsets(s.N, upTo(degree/2)), nil
}

// evenDegree refuses an odd degree; the default of a small graph is rounded up, which makes it full.
func (s Spec) evenDegree() (int, error) {
	degree, err := s.degree()
	if err == nil && s.Degree%2 == 1 {
		return 0, fmt.Errorf("degree %d of graph %s is odd: use %d or %d", s.Degree, s.Graph, s.Degree-1, s.Degree+1)
	}
	return degree + degree%2, err
}

func upTo(k int) []int {
	offsets := make([]int, k)
	for i := range offsets {
		offsets[i] = i + 1
	}
	return offsets
}

// byOffsets joins each i with i + d modulo n. An offset that leads back to i is left out, so that the
// graphs of one, two and three peers are what one expects.
func byOffsets(n int, offsets []int) *Graph {
	g := New(n)
	for i := range n {
		for _, d := range offsets {
			g.join(i, (i+d)%n)
		}
	}
	return g
}

// join adds an edge unless u is v. The generators never leave the range.
func (g *Graph) join(u, v int) {
	if u != v {
		g.insert(u, v)
		g.insert(v, u)
	}
}

// full joins everybody with everybody.
func full(s Spec) (*Graph, error) {
	g := New(s.N)
	for u := range s.N {
		for v := u + 1; v < s.N; v++ {
			g.join(u, v)
		}
	}
	return g, nil
}

// star joins everybody with peer 0: few edges, and one peer whose loss ends the run.
func star(s Spec) (*Graph, error) {
	g := New(s.N)
	for i := 1; i < s.N; i++ {
		g.join(0, i)
	}
	return g, nil
}

// torus is a grid of rows x columns, as square as N allows, whose borders are joined.
func torus(s Spec) (*Graph, error) {
	rows := int(math.Sqrt(float64(s.N)))
	for s.N%rows != 0 {
		rows--
	}
	if rows == 1 && s.N > 3 {
		return nil, fmt.Errorf("graph torus needs rows x columns of at least 2 each, and %d is prime: "+
			"use %d or %d peers, or graph ring", s.N, s.N-1, s.N+1)
	}
	columns := s.N / rows
	g := New(s.N)
	for r := range rows {
		for c := range columns {
			g.join(r*columns+c, r*columns+(c+1)%columns)
			g.join(r*columns+c, (r+1)%rows*columns+c)
		}
	}
	return g, nil
}
