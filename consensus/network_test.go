package consensus

import (
	"container/heap"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/vec"
)

// network is a dumb event loop around machines: the least world in which a recipe can run. Everything
// in it is a function of its fields.
type network struct {
	t     testing.TB
	names []Peer
	graph *topology.Graph
	peers map[Peer]*Machine
	queue events
	count int
	now   Time

	step    func(p Peer, block uint64) Duration   // time of one local step
	lose    func(from, to Peer) bool              // whether an estimate is lost; nil: never
	vanish  func(from, to Peer) bool              // whether an estimate is lost and nobody is told; nil: never
	bulk    func(from, to Peer) Duration          // more of it for estimates; nil: they keep the order
	latency func(from, to Peer) Duration          // of a message
	sending Duration                              // from a Send until its Sent
	mixing  func(p Peer) Duration                 // charged to the block in flight, or the next one
	learn   func(p Peer, x []float32, steps int)  // local steps in place
	check   func(Peer, *Machine, Event, []Effect) // after every Step

	dead     map[Peer]bool
	current  map[[2]Peer]bool // links of the latest graph; nil: of the first
	cut      map[[2]Peer]bool // links that lose everything
	arrived  map[[2]Peer]Time // links are first in, first out
	finish   map[Peer]*item   // the Trained in flight
	blocks   map[Peer]begun   // what it is of
	debt     map[Peer]Duration
	planned  map[Peer]Time // of the next Wake
	mixes    map[Peer]int
	rounds   map[Peer]uint64
	hash     uint64
	log      []string
	logging  bool // keep the log and its hash
	lost     int
	sent     map[string]int
	lastMix  map[Peer]Time
	longest  map[Peer]Duration // longest time between two closed rounds
	weights  map[edgeRound]float32
	messages int
	last     uint64 // no training after this round: Train is not answered
}

type edgeRound struct {
	round    uint64
	from, to Peer
}

// item is an event on its way to a peer.
type item struct {
	at    Time
	order int
	to    Peer
	ev    Event
	run   func()
	index int
}

type events []*item

func (q events) Len() int { return len(q) }
func (q events) Less(i, j int) bool {
	return q[i].at < q[j].at || (q[i].at == q[j].at && q[i].order < q[j].order)
}
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i]; q[i].index, q[j].index = i, j }
func (q *events) Push(x any)   { x.(*item).index = len(*q); *q = append(*q, x.(*item)) }
func (q *events) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// letters returns n peer names of one byte.
func letters(n int) []Peer {
	names := make([]Peer, n)
	for i := range names {
		names[i] = Peer(rune('a' + i))
	}
	return names
}

// ring joins i with i+1 to i+reach.
func ring(n, reach int) *topology.Graph {
	g := topology.New(n)
	for i := range n {
		for k := 1; k <= reach; k++ {
			if j := (i + k) % n; j != i {
				if err := g.Add(i, j, 1); err != nil {
					panic(err)
				}
			}
		}
	}
	return g
}

// newNetwork makes machines that are all connected. change may edit a peer's config.
func newNetwork(t testing.TB, g *topology.Graph, o Options, change func(i int, c *Config)) *network {
	t.Helper()
	w := &network{
		t: t, names: letters(g.N()), graph: g, peers: map[Peer]*Machine{},
		step:    func(Peer, uint64) Duration { return 1000 },
		latency: func(Peer, Peer) Duration { return 10 },
		sending: 5,
		mixing:  func(Peer) Duration { return 0 },
		learn:   func(Peer, []float32, int) {},
		dead:    map[Peer]bool{}, cut: map[[2]Peer]bool{},
		arrived: map[[2]Peer]Time{}, finish: map[Peer]*item{}, blocks: map[Peer]begun{},
		debt: map[Peer]Duration{}, planned: map[Peer]Time{}, mixes: map[Peer]int{},
		rounds: map[Peer]uint64{}, sent: map[string]int{},
		lastMix: map[Peer]Time{}, longest: map[Peer]Duration{}, weights: map[edgeRound]float32{},
		hash: 14695981039346656037, last: 1 << 62,
	}
	for i, name := range w.names {
		c := Config{Self: name, Members: w.names, Graph: g, Params: []float32{1, 2}, Options: o}
		for _, j := range g.Neighbours(i) {
			c.Connected = append(c.Connected, w.names[j])
		}
		if change != nil {
			change(i, &c)
		}
		w.add(c)
	}
	return w
}

func (w *network) add(c Config) {
	m, err := New(c)
	if err != nil {
		w.t.Fatal(err)
	}
	w.peers[c.Self] = m
	w.at(w.now, c.Self, Wake{})
}

func (w *network) at(at Time, to Peer, ev Event) *item {
	w.count++
	i := &item{at: at, order: w.count, to: to, ev: ev}
	heap.Push(&w.queue, i)
	return i
}

// call runs a function of the test at a time.
func (w *network) call(at Time, run func()) {
	w.count++
	heap.Push(&w.queue, &item{at: at, order: w.count, run: run})
}

// run handles events until the time or the number of events is over.
func (w *network) run(until Time) {
	w.t.Helper()
	for w.queue.Len() > 0 && w.queue[0].at <= until {
		i := heap.Pop(&w.queue).(*item)
		w.now = i.at
		if i.run != nil {
			i.run()
		} else if !w.dead[i.to] {
			w.feed(i.to, i.ev)
		}
		if w.count > 5_000_000 {
			w.t.Fatal("the network does not come to an end: too many events")
		}
	}
	w.now = until
}

func (w *network) feed(to Peer, ev Event) {
	m := w.peers[to]
	effects := m.Step(w.now, ev)
	if w.check != nil {
		w.check(to, m, ev, effects)
	}
	w.record(to, "<", ev)
	for _, e := range effects {
		w.record(to, ">", e)
		w.carryOut(to, e)
	}
	if at := m.Wake(); at != Never {
		w.wakeAt(to, max(at, w.now))
	}
}

// wakeAt feeds Wake at the time unless the machine wants it at another one by then.
func (w *network) wakeAt(to Peer, at Time) {
	if w.planned[to] == at {
		return
	}
	w.planned[to] = at
	w.call(at, func() {
		if w.planned[to] == w.now {
			delete(w.planned, to)
		}
		if m := w.peers[to]; !w.dead[to] && m.Wake() <= w.now {
			w.feed(to, Wake{})
		}
	})
}

func (w *network) record(p Peer, way string, what fmt.Stringer) {
	if !w.logging {
		return
	}
	line := fmt.Sprintf("%d %s %s %s", w.now, p, way, what)
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", w.hash, line)
	w.hash = h.Sum64()
	w.log = append(w.log, line)
}

func (w *network) carryOut(p Peer, e Effect) {
	switch e := e.(type) {
	case Train:
		w.train(p, e)
	case CutTrain:
		w.cutShort(p)
	case CancelTrain:
		w.finish[p].to, w.finish[p].ev = p, Trained{Block: e.Block} // crosses the cancel
		delete(w.finish, p)
	case Send:
		w.send(p, e)
	case Mixed:
		w.mixed(p, e)
	case Lost:
		w.lost++
	}
}

func (w *network) train(p Peer, e Train) {
	if w.peers[p].Round() > w.last {
		return
	}
	took := w.step(p, e.Block) * Duration(e.Steps)
	if batch := e.Share.Batch; batch > 0 {
		took = Duration(batch * float64(took))
	}
	took += w.debt[p]
	w.debt[p] = 0
	x := w.learned(p, e)
	w.finish[p] = w.at(w.now+Time(took), p, Trained{Block: e.Block, Params: x, Steps: e.Steps})
	w.blocks[p] = begun{e, w.now, took}
}

// begun is a block in flight.
type begun struct {
	train Train
	at    Time
	took  Duration
}

// cutShort ends the block in flight after the local step that is running.
func (w *network) cutShort(p Peer) {
	b, f := w.blocks[p], w.finish[p]
	step := b.took / Duration(b.train.Steps)
	steps := min(int(Duration(w.now-b.at)/step)+1, b.train.Steps)
	b.train.Steps = steps
	f.at = min(f.at, b.at+Time(step)*Time(steps))
	f.ev = Trained{Block: b.train.Block, Params: w.learned(p, b.train), Steps: steps}
	heap.Fix(&w.queue, f.index)
}

// learned returns what a block makes of its parameters.
func (w *network) learned(p Peer, e Train) []float32 {
	x := slices.Clone(e.Params)
	if e.Drift == nil && e.Share.Size == 0 {
		w.learn(p, x, e.Steps)
		return x
	}
	for range e.Steps {
		if e.Share.Size > 0 {
			w.learnPooled(x, e.Share)
		} else {
			w.learn(p, x, 1)
		}
		if e.Drift != nil {
			vec.Axpy(x, 1, e.Drift)
		}
	}
	return x
}

// learnPooled does a local step on a part of the pool, in which the data of all peers follow one another.
func (w *network) learnPooled(x []float32, s Share) {
	start := slices.Clone(x)
	each := 1 / float64(len(w.names))
	for i, owner := range w.names {
		from, to := float64(i)*each, float64(i+1)*each
		if part := (min(to, s.From+s.Size) - max(from, s.From)) / s.Size; part > 1e-9 {
			y := slices.Clone(start)
			w.learn(owner, y, 1)
			for k := range x {
				x[k] += float32(part * float64(y[k]-start[k]))
			}
		}
	}
}

func (w *network) send(from Peer, e Send) {
	w.messages++
	kind := fmt.Sprintf("%T", e.Message)
	w.sent[kind[len("consensus."):]]++
	if w.dead[e.To] || w.cut[[2]Peer{from, e.To}] {
		return
	}
	estimate, isEstimate := e.Message.(Estimate)
	if isEstimate && w.lose != nil && w.lose(from, e.To) {
		w.at(w.now+Time(w.sending), from, SendFailed{To: e.To, Seq: estimate.Seq})
		return
	}
	if isEstimate && w.vanish != nil && w.vanish(from, e.To) {
		w.at(w.now+Time(w.sending), from, Sent{To: e.To, Seq: estimate.Seq})
		return
	}
	link := [2]Peer{from, e.To}
	at := max(w.now+Time(w.latency(from, e.To)), w.arrived[link])
	if isEstimate && w.bulk != nil {
		at = w.now + Time(w.latency(from, e.To)+w.bulk(from, e.To)) // small messages may overtake it
	} else {
		w.arrived[link] = at
	}
	w.at(at, e.To, Received{From: from, Message: e.Message})
	if isEstimate {
		w.at(w.now+Time(w.sending), from, Sent{To: e.To, Seq: estimate.Seq})
	}
}

func (w *network) mixed(p Peer, e Mixed) {
	w.mixes[p]++
	for _, s := range e.Used {
		w.weights[edgeRound{e.Round, p, s.Peer}] = s.Weight
	}
	if !e.MidBlock {
		w.rounds[p]++
		if last, ok := w.lastMix[p]; ok {
			w.longest[p] = max(w.longest[p], Duration(w.now-last))
		}
		w.lastMix[p] = w.now
	}
	if took := w.mixing(p); took > 0 {
		if f := w.finish[p]; e.MidBlock && f != nil && f.index < w.queue.Len() && w.queue[f.index] == f {
			f.at += Time(took)
			heap.Fix(&w.queue, f.index)
		} else {
			w.debt[p] += took
		}
		w.at(w.now, p, MixTook{Duration: took})
	}
}

// kill stops a peer; its neighbours notice after a while.
func (w *network) kill(p Peer, notice Duration) {
	w.dead[p] = true
	delete(w.finish, p)
	for _, n := range w.neighbours(p) {
		w.at(w.now+Time(notice), n, Left{Peer: p})
	}
}

func (w *network) neighbours(p Peer) []Peer {
	var names []Peer
	for _, j := range w.graph.Neighbours(slices.Index(w.names, p)) {
		names = append(names, w.names[j])
	}
	return names
}

// towards makes every peer walk to a point of its own.
func towards(rate float32, points map[Peer][]float32) func(Peer, []float32, int) {
	return func(p Peer, x []float32, steps int) {
		for range steps {
			for i, to := range points[p] {
				x[i] += rate * (to - x[i])
			}
		}
	}
}

// jitter gives every peer and block its own step time in [900, 1100), times the peer's factor.
func jitter(root uint64, factor map[Peer]float64) func(Peer, uint64) Duration {
	return func(p Peer, block uint64) Duration {
		d := 900 + 200*seed.Stream(root, "step", string(p), fmt.Sprint(block)).Float64()
		if f, ok := factor[p]; ok {
			d *= f
		}
		return Duration(d)
	}
}
