package consensus

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/vec"
	"pgregory.net/rapid"
)

// plane is a network of eight peers in 512 dimensions, each of which pulls to a point of its own.
type plane struct {
	*network
	points map[Peer][]float32
	best   []float64 // the mean of the points, where all should meet
	bytes  map[bool]int
	frames map[bool]int // by whether they are frames of a codec
}

const planeSize = 512

func newPlane(t *testing.T, o Options, rate float32) *plane {
	t.Helper()
	o = lookup(o.Recipe).complete(o) // not refused, whatever is to be shown
	p := &plane{
		points: map[Peer][]float32{}, best: make([]float64, planeSize), bytes: map[bool]int{}, frames: map[bool]int{},
	}
	p.network = newNetwork(t, ring(8, 2), Options{}, func(_ int, c *Config) { c.Params = make([]float32, planeSize) })
	for name, m := range p.peers {
		c := m.config
		c.Options = o
		var err error
		if p.peers[name], err = assemble(c, o); err != nil {
			t.Fatal(err)
		}
		random := seed.Stream(1, "point", string(name))
		points := make([]float32, planeSize)
		for i := range points {
			points[i] = 2*random.Float32() - 1
			p.best[i] += float64(points[i]) / 8
		}
		p.points[name] = points
	}
	p.step = jitter(3, nil)
	p.learn = towards(rate, p.points)
	p.check = func(_ Peer, _ *Machine, _ Event, effects []Effect) { p.weigh(effects) }
	return p
}

// weigh counts the estimates that are sent and their bytes.
func (p *plane) weigh(effects []Effect) {
	for _, e := range effects {
		if send, ok := e.(Send); ok {
			if e, ok := send.Message.(Estimate); ok {
				p.frames[e.Frame != nil]++
				p.bytes[e.Frame != nil] += len(e.Frame) + 4*len(e.Params)
			}
		}
	}
}

// off returns the mean square of how far peers are from where they should meet.
func (p *plane) off() float64 {
	sum := 0.0
	for _, name := range p.names {
		for i, v := range p.peers[name].Params() {
			d := float64(v) - p.best[i]
			sum += float64(d * d)
		}
	}
	if sum /= 8 * planeSize; math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}

// settled runs the network and returns off, over the second half of the time.
func (p *plane) settled(until Time) float64 {
	sum, count := 0.0, 0
	for at := until / 2; at <= until; at += until / 40 {
		p.run(at)
		sum, count = sum+p.off(), count+1
	}
	return sum / float64(count)
}

func coded(recipe string, c vec.Codec) Options { return Options{Recipe: recipe, Codec: c} }

// The bytes of a frame: a value in 2, 1 and a bit, 3 for each of a fifth, 2 for each of a fifth that is
// hardly ever named, and 4 for each of a quarter. Only the first estimate of a link is whole.
func TestFramesAreSmall(t *testing.T) {
	for kind, most := range map[vec.CodecKind]float64{
		vec.BF16: 2, vec.Int8: 1.02, vec.TopK: 0.61, vec.Slim: 0.45, vec.Fragment: 1.01,
	} {
		p := newPlane(t, coded("quorum", vec.Codec{Kind: kind}), 0.05)
		p.run(100_000)
		if each := float64(p.bytes[true]) / float64(p.frames[true]) / planeSize; each > most {
			t.Errorf("%s: %.3f bytes a value, want %.2f at most", kind, each, most)
		}
		if p.frames[false] > 32 {
			t.Errorf("%s: %d estimates over 32 links were sent whole, and %d frames", kind, p.frames[false], p.frames[true])
		}
	}
}

// The oracles of codecs on quadratics (algorithm family, section 4): momentum with int8 is as close to the
// optimum as without a codec. So is every other one as without a codec and with the gamma that it needs:
// what costs is the slower mixing.
func TestCodecsReachTheOptimum(t *testing.T) {
	measured(t)
	const until, rate = 400_000, 0.02
	for _, c := range []vec.Codec{
		{Kind: vec.BF16},
		{Kind: vec.Int8},
		{Kind: vec.TopK},
		{Kind: vec.TopK, Keep: 0.05},
		{Kind: vec.Slim},
		{Kind: vec.Fragment},
		{Kind: vec.Fragment, Parts: 8},
	} {
		o := Options{Recipe: "quorum", Momentum: 0.5, Codec: c, Gamma: safeGamma(c.WithDefaults())}
		got := newPlane(t, o, rate).settled(until)
		o.Codec = vec.Codec{}
		dense := newPlane(t, o, rate).settled(until)
		if got > 1.2*dense {
			t.Errorf("%+v: settles %.3g from the optimum, dense with gamma %v %.3g", c, got, o.Gamma, dense)
		}
	}
}

// What Compose refuses diverges: few values at a time, and more of the way to the average than they carry.
func TestFewValuesNeedASmallGamma(t *testing.T) {
	measured(t)
	for _, c := range []struct {
		codec vec.Codec
		gamma float64
	}{
		{vec.Codec{Kind: vec.TopK}, 0.8}, {vec.Codec{Kind: vec.Slim}, 1}, {vec.Codec{Kind: vec.Fragment}, 0.5},
	} {
		o := Options{Recipe: "quorum", Codec: c.codec, Gamma: c.gamma}
		if _, err := Compose(o, nil); err == nil || !strings.Contains(err.Error(), "gamma") {
			t.Errorf("%+v with gamma %v: %v", c.codec, c.gamma, err)
		}
		if got := newPlane(t, o, 0.02).settled(400_000); got < 1 {
			t.Errorf("%+v with gamma %v settles %.3g from the optimum although it is refused", c.codec, c.gamma, got)
		}
		o.Gamma, o.Momentum = mostGamma(c.codec.WithDefaults()), 0.5
		if _, err := Compose(o, nil); err != nil {
			t.Error(err)
		}
		if got := newPlane(t, o, 0.02).settled(400_000); got > 0.02 {
			t.Errorf("%+v with gamma %v settles %.3g from the optimum although it is accepted", c.codec, o.Gamma, got)
		}
	}
}

// blind adds differences up without asking what they build on, as over a stream that never loses anything.
type blind struct{ framed }

func (b *blind) frame(m *Machine, n *neighbour) (Estimate, bool) {
	e := b.write(m, n, m.last)
	b.resolved(m, n, e.Seq, true)
	return e, true
}

func (b *blind) read(m *Machine, n *neighbour, e Estimate) (Estimate, string) {
	if last := len(n.track.heard) - 1; last >= 0 {
		e.Base = n.track.heard[last].seq
	}
	return b.framed.read(m, n, e)
}

// Differences of int8 with 5 % of them lost and nobody told go wrong when they are added up, and do no harm
// when each names what it builds on and what is missing is asked for.
func TestSilentLossDoesNotAddUp(t *testing.T) {
	measured(t)
	const until = 400_000
	run := func(o Options, naive bool) float64 {
		p := newPlane(t, o, 0.02)
		random := seed.Stream(5, "loss")
		p.vanish = func(Peer, Peer) bool { return random.Float64() < 0.05 }
		if naive {
			for _, m := range p.peers {
				m.link = &blind{framed{codec: m.options.Codec}}
			}
		}
		return p.settled(until)
	}
	for _, c := range []vec.Codec{{Kind: vec.Int8}, {Kind: vec.TopK}, {Kind: vec.Slim}, {Kind: vec.Fragment}} {
		o := Options{Recipe: "quorum", Momentum: 0.5, Codec: c, Gamma: safeGamma(c.WithDefaults())}
		exact := newPlane(t, o, 0.02).settled(until)
		if got := run(o, false); got > 1.2*exact {
			t.Errorf("%s: 5 %% lost settles %.3g from the optimum, none lost %.3g", c.Kind, got, exact)
		}
		if got := run(o, true); c.Kind == vec.Int8 && got < 10*exact {
			t.Errorf("%s: added up blindly settles %.3g from the optimum, none lost %.3g", c.Kind, got, exact)
		}
	}
}

// Whatever is lost or replaced on the way, told or not, a neighbour never takes a frame for something that
// was not said: every replica is what the sender believes it to be.
func TestReplicasAreWhatWasSaid(t *testing.T) {
	kinds := []vec.CodecKind{vec.BF16, vec.Int8, vec.TopK, vec.Slim, vec.Fragment}
	rapid.Check(t, func(r *rapid.T) {
		o := coded(rapid.SampledFrom([]string{"quorum", "pulse", "swift", "dasgd"}).Draw(r, "recipe"),
			vec.Codec{Kind: rapid.SampledFrom(kinds).Draw(r, "codec")})
		w := newNetwork(t, ring(4, 1), o, func(_ int, c *Config) { c.Params = make([]float32, 40) })
		random := seed.Stream(rapid.Uint64().Draw(r, "seed"), "loss")
		lost := func(Peer, Peer) bool { return random.Float64() < 0.1 }
		if w.lose = lost; rapid.Bool().Draw(r, "silent") {
			w.vanish = lost
		}
		w.latency = delays(random.Uint64(), rapid.IntRange(1, 3000).Draw(r, "delay"))
		w.learn = func(_ Peer, x []float32, _ int) {
			for i := range x {
				x[i] += random.Float32() - 0.4
			}
		}
		said := map[[2]Peer]map[uint64][]float32{}
		w.check = func(p Peer, m *Machine, _ Event, _ []Effect) {
			for _, n := range m.view.neighbours {
				out, in := [2]Peer{p, n.name}, [2]Peer{n.name, p}
				if v := n.track.told(); v != nil {
					if said[out] == nil {
						said[out] = map[uint64][]float32{}
					}
					said[out][v.seq] = v.said
				}
				if seq := n.replica.Seq; seq > 0 && !slices.Equal(n.replica.Params, said[in][seq]) {
					r.Fatalf("%s has something else of %s than publish %d", p, n.name, seq)
				}
			}
		}
		w.run(60_000)
		for name, m := range w.peers {
			if m.Round() < 5 {
				r.Fatalf("%s is still in round %d", name, m.Round())
			}
		}
	})
}
