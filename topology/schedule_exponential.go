package topology

import (
	"fmt"
	"math/bits"
)

// onePeer is the one-peer exponential graph made symmetric: in round t everybody averages with the peer
// whose number differs in bit t alone (Ying and others 2021). After log2 N rounds all are equal.
type onePeer struct{ n, period int }

func newExponential(s ScheduleSpec, g *Graph, _ []bool) (plan, error) {
	n := g.N()
	if n == 0 || n&(n-1) != 0 {
		low := 1 << max(0, bits.Len(uint(n))-1)
		near := low
		if 2*low-n <= n-low {
			near = 2 * low
		}
		return nil, fmt.Errorf("schedule %s of %d peers: their number must be a power of two: use %d peers, "+
			"or schedule base, which takes any number", s.Kind, n, near)
	}
	return onePeer{n, bits.Len(uint(n)) - 1}, nil
}

func (p onePeer) appendMates(to []Mate, v int, round uint64) []Mate {
	if p.period == 0 {
		return to
	}
	return append(to, Mate{v ^ 1<<(round%uint64(p.period)), 0.5})
}

func (p onePeer) links(*Graph) (*Graph, error) { return unite(p.n, p.period, p) }
