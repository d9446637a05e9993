package consensus

import (
	"slices"
	"testing"

	"github.com/starling-ml/starling/vec"
)

// The papers' claim: a small part of every difference is enough to reach what whole estimates reach. Ours:
// without rounds too, beside a peer that is four times slower.
func TestChocoReachesWhatWholeEstimatesReach(t *testing.T) {
	measured(t)
	const until = 600_000
	for _, c := range []vec.Codec{{}, {Kind: vec.TopK, Keep: 0.05}, {Kind: vec.Slim}} {
		o := Options{Recipe: "choco", Codec: c}
		p := newPlane(t, o, 0.02)
		p.step = jitter(3, map[Peer]float64{"a": 4})
		got := p.settled(until)
		whole := Options{Recipe: "quorum", Momentum: 0.3, Gamma: p.peers["a"].options.Gamma}
		q := newPlane(t, whole, 0.02)
		q.step = jitter(3, map[Peer]float64{"a": 4})
		if want := q.settled(until); got > 1.25*want {
			t.Errorf("%+v settles %.3g from the optimum, whole estimates with the same gamma %.3g", c, got, want)
		}
		most := 0.61 // of four bytes a value
		if c.Keep > 0 {
			most = 0.2
		}
		if each := float64(p.bytes[true]) / float64(p.frames[true]) / planeSize; each > most {
			t.Errorf("%+v: %.3f bytes a value", c, each)
		}
	}
}

// Without error feedback nothing comes of it: top values of the estimates themselves (not of differences)
// leave the others behind for good.
func TestTopValuesWithoutFeedbackMissTheOptimum(t *testing.T) {
	measured(t)
	settle := func(forgetful bool) float64 {
		p := newPlane(t, Options{Recipe: "choco"}, 0.02)
		if forgetful {
			for _, m := range p.peers {
				m.link = &forgetting{framed{codec: m.options.Codec}}
			}
		}
		return p.settled(400_000)
	}
	if with, without := settle(false), settle(true); without < 5*with {
		t.Errorf("without feedback %.3g from the optimum, with it %.3g", without, with)
	}
}

// forgetting sends the largest values of the estimate, and zeros for the others.
type forgetting struct{ framed }

func (f *forgetting) frame(m *Machine, n *neighbour) (Estimate, bool) {
	zero := make([]float32, len(m.x))
	e := m.last
	top := slices.Clone(zero)
	for _, i := range vec.Largest(e.Params, zero, share(f.codec.Keep, len(zero))) {
		top[i] = e.Params[i]
	}
	e.Params = top
	return e, true
}

// Members, defaults and what is refused.
func TestChocoFillsIn(t *testing.T) {
	o := compose(t, Options{Recipe: "choco"}).Options
	if o.Codec != (vec.Codec{Kind: vec.TopK, Keep: 0.2}) || o.Gamma < 0.299 || o.Gamma > 0.301 || o.Momentum != 0.3 {
		t.Errorf("filled in %+v", o)
	}
	o = compose(t, Options{Recipe: "choco", Codec: vec.Codec{Kind: vec.TopK, Keep: 0.01}}).Options
	if o.Gamma > 0.0151 {
		t.Errorf("gamma %v for a hundredth of the values", o.Gamma)
	}
	if _, err := Compose(Options{Recipe: "choco", Gamma: 1}, nil); err == nil {
		t.Error("gamma 1 with top-k is accepted")
	}
}
