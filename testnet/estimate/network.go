package estimate

import (
	"fmt"
	"math"
	"slices"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/train/pace"
	"github.com/starling-ml/starling/train/task"
	"github.com/starling-ml/starling/vec"
	"github.com/starling-ml/starling/wire"
)

// network is what the cost model knows of a run. Times are in seconds.
type network struct {
	peers        int
	degree       float64 // mean
	diameter     float64
	independence float64 // of the starts of neighbours, see independence
	kinds        []kind
	bytes        float64 // of an estimate on the wire
	mixCost      float64 // of mixing one estimate, in steps
	options      consensus.Options
}

// kind is some peers that are alike.
type kind struct {
	count   float64
	law     pace.Law
	rate    float64 // bits per second of the uplink; 0: no limit
	latency float64
	jitter  float64

	steps float64 // local steps of a block
	block spread  // time of a block, mixing included
}

// networkOf reads a plan.
func networkOf(plan *testnet.Plan) (*network, error) {
	loaded, err := task.Load(plan.Task)
	if err != nil {
		return nil, err
	}
	n := &network{options: plan.Options, mixCost: plan.MixCost / 4}
	n.lay(plan.Graph)
	for i := range plan.Members {
		n.add(&plan.Members[i])
	}
	n.write(loaded.Size())
	return n, n.blocks()
}

// dear is the share of a block from which on codec auto writes whole estimates in int8.
const dear = 0.25

// write sets the size of an estimate of so many parameters.
func (n *network) write(params int) {
	whole, o := wire.Format{Params: params}.EstimateSize(), n.options
	if o.Codec.Kind == vec.Auto {
		o.Codec = vec.Codec{}
		n.bytes = frameBytes(whole, params, o)
		block := n.usualStep() * float64(max(1, o.LocalSteps))
		if slices.ContainsFunc(n.kinds, func(k kind) bool { return n.sending(k) > dear*block }) {
			o.Codec = vec.Codec{Kind: vec.Int8}
		}
	}
	n.bytes = frameBytes(whole, params, o)
}

// lay puts the peers on a graph.
func (n *network) lay(g *topology.Graph) {
	n.peers = g.N()
	edges := len(g.Edges())
	n.degree = 2 * float64(edges) / float64(g.N())
	n.diameter = float64(diameter(g))
	n.independence = independence(g)
}

// add counts a member among those like it.
func (n *network) add(m *testnet.Member) {
	k := kind{
		count: 1, law: m.Compute, rate: 8 * float64(m.Link.Up),
		latency: m.Link.Latency.Std().Seconds(), jitter: m.Link.Jitter.Std().Seconds(),
	}
	for i, other := range n.kinds {
		if other.same(k) {
			n.kinds[i].count++
			return
		}
	}
	n.kinds = append(n.kinds, k)
}

func (k kind) same(other kind) bool {
	return fmt.Sprint(k.law) == fmt.Sprint(other.law) && k.rate == other.rate && k.latency == other.latency &&
		k.jitter == other.jitter
}

// blocks works out what a block of every kind is.
func (n *network) blocks() error {
	usual := n.usualStep()
	for i := range n.kinds {
		k := &n.kinds[i]
		mean := k.law.Mean()
		low, high := k.law.Range()
		step := spreadOf(low, high, k.law.Below).trimmed()
		if beats(n.options) && n.options.LocalSteps == 0 {
			k.steps, k.block = n.pulseBlock(step)
		} else {
			h := n.steps(mean, usual)
			if h > mostSteps {
				return fmt.Errorf("a block of %d local steps: estimates go up to %d; set train.local_steps", h, mostSteps)
			}
			k.steps, k.block = float64(h), step.repeated(h)
		}
		k.block = k.block.later(n.mixCost * n.copies() * mean)
	}
	return nil
}

// mostSteps bounds the local steps of a block.
const mostSteps = 4096

// steps is how many local steps a block of a peer has whose steps take so long.
func (n *network) steps(mean, usual float64) int {
	o := n.options
	within := func(budget float64) int { return min(max(int(budget/mean), 1), mostSteps) }
	switch {
	case o.Budget > 0:
		return within(seconds(o.Budget))
	case o.Recipe == "budget":
		return within(usual * float64(max(1, o.LocalSteps)))
	}
	return max(1, o.LocalSteps)
}

// usualStep is the median over peers of the mean time of a step.
func (n *network) usualStep() float64 {
	left := float64(n.peers) / 2
	for above := -1.0; ; {
		next := math.Inf(1)
		for _, k := range n.kinds {
			if m := k.law.Mean(); m > above {
				next = min(next, m)
			}
		}
		for _, k := range n.kinds {
			if k.law.Mean() == next {
				left -= k.count
			}
		}
		if left < 0 || math.IsInf(next, 1) {
			return next
		}
		above = next
	}
}

// airtime is how long the uplink of a peer is busy with one estimate.
func (n *network) airtime(k kind) float64 {
	if k.rate == 0 {
		return 0
	}
	return 8 * n.bytes / k.rate
}

// copies is how many estimates a peer sends for every block.
func (n *network) copies() float64 {
	if n.pairs() {
		return min(2, n.degree) // one asks, and one answers
	}
	return n.degree
}

func (n *network) pairs() bool { return n.options.Recipe == "adpsgd" || n.options.Recipe == "noloco" }

// sending is how long the uplink of a peer is busy with what it sends for every block.
func (n *network) sending(k kind) float64 { return n.copies() * n.airtime(k) }

// way is the spread of the time that an estimate takes to a neighbour: its turn in the uplink, which
// changes with every publish, and the latency.
func (n *network) way(k kind) spread {
	turns := max(1, int(math.Round(n.degree)))
	way := always(k.latency)
	if a := n.airtime(k); a > 0 {
		queue := spread{from: a, step: a, mass: make([]float64, turns)}
		for i := range queue.mass {
			queue.mass[i] = 1 / float64(turns)
		}
		way = way.plus(queue)
	}
	if k.jitter > 0 {
		low, high := max(0, k.latency-k.jitter)-k.latency, k.jitter
		way = way.plus(spreadOf(low, high, func(t float64) float64 { return min(1, (t+k.jitter)/(2*k.jitter)) }))
	}
	return way
}

// ideal is the network with links that take no time.
func (n *network) ideal() *network {
	other := *n
	other.kinds = append([]kind(nil), n.kinds...)
	for i := range other.kinds {
		k := &other.kinds[i]
		k.rate, k.latency, k.jitter = 0, 0, 0
	}
	return &other
}

// mean is the mean over peers of something of their kind.
func (n *network) mean(of func(kind) float64) float64 {
	sum := 0.0
	for _, k := range n.kinds {
		sum += float64(k.count * of(k))
	}
	return sum / float64(n.peers)
}
