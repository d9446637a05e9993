package consensus

import (
	"math"
	"slices"
	"testing"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
)

// pulseTwin is the proposed default of the study written down once more, from its definition: one loop
// over the next thing that happens in a network whose messages take no time and whose mixing is free.
type pulseTwin struct {
	g     *topology.Graph
	step  func(Peer, uint64) Duration
	train func(i int, x float64) float64
	now   float64
	peers []*pulseTwinPeer
}

type pulseTwinPeer struct {
	x, said     float64
	saidAt      float64
	seq         int
	used        map[int]int
	s           float64 // moving average of the time of a step; 0: not measured
	told        float64 // s as told with the last publish
	m, beat     float64
	block       uint64
	began, ends float64
	steps       int
	snapshot    float64
	due         float64
	q           float64
	n           int
	waits       bool
	limit       float64
}

func newPulseTwin(g *topology.Graph, step func(Peer, uint64) Duration, train func(int, float64) float64) *pulseTwin {
	w := &pulseTwin{g: g, step: step, train: train}
	for range g.N() {
		w.peers = append(w.peers, &pulseTwinPeer{used: map[int]int{}, due: math.Inf(1), ends: math.Inf(1)})
	}
	return w
}

// median is the upper median of the step times that peer i knows.
func (w *pulseTwin) median(i int) float64 {
	var all []float64
	if s := w.peers[i].s; s > 0 {
		all = append(all, s)
	}
	for _, j := range w.g.Neighbours(i) {
		if s := w.peers[j].told; s > 0 {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func (w *pulseTwin) learnBeat(i int) {
	p := w.peers[i]
	if p.m == 0 && p.block > 0 {
		if p.m = w.median(i); p.m > 0 {
			p.beat = p.m
			p.due = p.began + math.Floor(1.3*p.beat)
		}
	}
}

func (w *pulseTwin) begin(i int) {
	p := w.peers[i]
	p.block++
	p.began, p.snapshot, p.waits = w.now, p.x, false
	p.m, p.beat, p.due = 0, 0, math.Inf(1)
	w.learnBeat(i)
	p.steps = 1
	if p.beat > 0 && p.s > 0 {
		p.steps = min(max(int(p.beat/p.s+0.3), 1), 64)
	}
	p.ends = w.now + float64(w.step(letters(w.g.N())[i], p.block))*float64(p.steps)
}

func (w *pulseTwin) publish(i int) {
	p := w.peers[i]
	p.said, p.saidAt, p.told = p.x, w.now, p.s
	p.seq++
	for _, j := range w.g.Neighbours(i) {
		if !w.peers[j].waits {
			w.learnBeat(j)
		}
	}
}

func (w *pulseTwin) mix(i int) {
	p := w.peers[i]
	x := p.x
	m := w.median(i)
	for _, j := range w.g.Neighbours(i) {
		o := w.peers[j]
		weight := topology.Weight(w.g.Degree(i), w.g.Degree(j))
		if age := w.now - o.saidAt; m > 0 && age > 2*m {
			weight /= 1 + (age-2*m)/m
		}
		x += weight * (o.said - p.x)
		p.used[j] = o.seq
	}
	p.x = x
}

func (w *pulseTwin) done(i int) {
	p := w.peers[i]
	learned := p.snapshot
	for range p.steps {
		learned = w.train(i, learned)
	}
	measured := (w.now - p.began) / float64(p.steps)
	if p.s == 0 {
		p.s = measured
	} else {
		p.s += 0.2 * (measured - p.s)
	}
	w.learnBeat(i)
	p.x += float64(p.n) * p.q
	p.n = 0
	c := min(max(p.s/w.median(i), 1./8), 8)
	if c > 0.87 && c < 1.15 {
		c = 1
	}
	if d := learned - p.snapshot; c <= 1.5 {
		p.x += c * d
	} else {
		k := math.Floor(c + 0.5)
		p.q = c / k * d
		p.x += p.q
		p.n = int(k) - 1
	}
	p.waits, p.ends, p.due = true, math.Inf(1), math.Inf(1)
	p.limit = w.now + math.Floor(p.beat/4)
	w.publish(i)
}

func (w *pulseTwin) pulse(i int) {
	p := w.peers[i]
	if p.due += p.beat; p.due <= w.now {
		p.due = w.now + p.beat
	}
	if p.n > 0 {
		p.x += p.q
		p.n--
	}
	w.publish(i)
	w.mix(i)
}

// close mixes and goes on if peer i has waited enough.
func (w *pulseTwin) close(i int) bool {
	p := w.peers[i]
	fresh := 0
	for _, j := range w.g.Neighbours(i) {
		if w.peers[j].seq > p.used[j] {
			fresh++
		}
	}
	if !p.waits || (fresh < (w.g.Degree(i)+1)/2 && w.now < p.limit) {
		return false
	}
	w.mix(i)
	w.begin(i)
	return true
}

func (w *pulseTwin) run(until float64) {
	for i, p := range w.peers {
		p.ends = float64(startOf(i))
	}
	for {
		next, at := 0, math.Inf(1)
		for i, p := range w.peers {
			t := min(p.ends, p.due)
			if p.waits {
				t = p.limit
			}
			if t < at {
				next, at = i, t
			}
		}
		if at > until {
			return
		}
		w.now = max(w.now, at) // a beat that was learned late may be due since
		switch p := w.peers[next]; {
		case p.waits:
		case p.block == 0:
			w.begin(next)
		case p.ends <= p.due:
			w.done(next)
		default:
			w.pulse(next)
		}
		for i := range w.peers {
			w.close(i)
		}
	}
}

// startOf spreads the starts: beats that begin together would tie for ever.
func startOf(i int) Time { return Time(137_031 * i) }

// The machine does what the definition says, with peers up to twelve times slower. The seeds are fixed:
// the machine counts whole nanoseconds, and a ratio that falls on one of the recipe's limits to the
// nanosecond would part the two.
func TestPulseTwin(t *testing.T) {
	for root := range uint64(80) {
		stream := seed.Stream(root, "pulse twin")
		n := 2 + stream.IntN(7)
		g := randomGraph(root, n)
		law := jitter(root, map[Peer]float64{"b": 1 + 11*stream.Float64(), "c": 0.3 + 3*stream.Float64()})
		step := func(p Peer, block uint64) Duration { return 1000 * law(p, block) }
		points := map[Peer][]float32{}
		for i, p := range letters(n) {
			points[p] = []float32{float32(3 * i)}
		}
		train := func(i int, x float64) float64 { return x + 0.05*(float64(3*i)-x) }
		twin := newPulseTwin(g, step, train)
		w := newNetwork(t, g, Options{Recipe: "pulse"}, func(_ int, c *Config) { c.Params = []float32{0} })
		w.step, w.learn = step, towards(0.05, points)
		w.latency = func(Peer, Peer) Duration { return 1 }
		w.sending = 1
		w.queue = nil
		for i, p := range w.names {
			w.at(startOf(i), p, Wake{})
		}
		w.run(20_000_000)
		twin.run(20_000_000)
		for i, p := range w.names {
			m, o := w.peers[p], twin.peers[i]
			if d := int(m.seq) - o.seq; d < -1 || d > 1 { // the end may cut between the two
				t.Errorf("seed %d: %s published %d times, its twin %d", root, p, m.seq, o.seq)
			}
			if x := float64(m.Params()[0]); math.Abs(x-o.x) > 0.05*(1+math.Abs(o.x)) {
				t.Errorf("seed %d: %s is at %v, its twin at %v", root, p, x, o.x)
			}
		}
	}
}
