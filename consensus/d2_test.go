package consensus

import (
	"math"
	"strings"
	"testing"

	"github.com/starling-ml/starling/topology"
)

// The paper's claim (D2, theorem 2 and its remarks): the bias of different data is gone. Plain dpsgd with the
// same step keeps its peers apart.
func TestD2IsExact(t *testing.T) {
	exactly(t, Options{Recipe: "d2"}, 1, 1e-3)
	exactly(t, Options{Recipe: "d2", LocalSteps: 4}, 1, 1e-3)
	exactly(t, Options{Recipe: "d2"}, 3, 1e-3)
	if _, apart := pull(t, Options{Recipe: "dpsgd"}, 1, 1_500_000); apart < 0.1 {
		t.Errorf("dpsgd leaves its peers %.4f apart, want them clearly apart", apart)
	}
}

// circulantWith returns a graph whose weights have about that smallest eigenvalue.
func circulantWith(t *testing.T, least float64) *topology.Graph {
	t.Helper()
	for n := 6; n < 25; n++ {
		for reach := 1; reach <= n/2; reach++ {
			for skip := range reach {
				g := topology.New(n)
				for v := range n {
					for _, k := range []int{reach, skip} {
						if u := (v + k) % n; u != v && !g.Has(u, v) {
							if err := g.Add(u, v, 1); err != nil {
								t.Fatal(err)
							}
						}
					}
				}
				if got, ok := topology.SmallestEigenvalue(g); ok && math.Abs(got-least) < 0.005 && len(g.Components()) == 1 {
					return g
				}
			}
		}
	}
	t.Fatalf("no circulant graph has the eigenvalue %v", least)
	return nil
}

// The paper's assumption 1: it diverges where W has an eigenvalue of -0.40, and not at -0.32. Compose knows the
// bound; (I+W)/2 is above it on every graph.
func TestD2NeedsEigenvaluesAboveAThird(t *testing.T) {
	largest := func(g *topology.Graph, o Options) float64 {
		w := newNetwork(t, g, Options{Recipe: "dpsgd"}, spread)
		for name, m := range w.peers {
			c := m.config
			var err error
			if w.peers[name], err = assemble(c, lookup("d2").complete(o)); err != nil {
				t.Fatal(err)
			}
		}
		w.run(300_000)
		most := 0.0
		for _, m := range w.peers {
			most = max(most, math.Abs(float64(m.Params()[0])))
		}
		return most
	}
	full := Options{Recipe: "d2", FullW: true}
	bad, good := circulantWith(t, -0.40), circulantWith(t, -0.32)
	if got := largest(bad, full); got < 1e4 {
		t.Errorf("at -0.40 the largest estimate is %v, want it diverged", got)
	}
	if _, err := Compose(full, bad); err == nil || !strings.Contains(err.Error(), "eigenvalue -0.4") {
		t.Errorf("at -0.40: %v", err)
	}
	if got := largest(good, full); got > 1e3 {
		t.Errorf("at -0.32 the largest estimate is %v", got)
	}
	if _, err := Compose(full, good); err != nil {
		t.Error(err)
	}
	if got := largest(bad, Options{Recipe: "d2"}); got > 1e3 {
		t.Errorf("(I+W)/2: the largest estimate is %v", got)
	}
}

// The paper's equation, x(t+1) = W (2x(t) - x(t-1) - eta g(t) + eta g(t-1)) after x(1) = W (x(0) - eta g(0)).
func TestD2FollowsThePaper(t *testing.T) {
	var last table // x(t-1) - eta g(t-1)
	follows(t, Options{Recipe: "d2"}, func(x table) table {
		now := x.plus(1, x.step())
		y := now
		if last != nil {
			y = now.plus(1, x).plus(-1, last)
		}
		last = now
		return y.times(ring(6, 2), true)
	})
}
