package sim_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/testnet/sim"
	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/data"
)

// study is one scenario of the study of recipes: digits, an MLP 64-48-10, eight peers on the circulant
// +-1, +-2, batches of 16 with replacement, plain SGD, and peer 3 as the straggler. Its unit is one
// normal step. The zero values mean: iid data, U[.9, 1.1], no straggler, the net "lan", and mixing four
// replicas takes 0.02.
type study struct {
	excl    bool // peer 3 alone holds the digit 7
	law     law
	slow    float64 // peer 3 is that many times slower; 0: it is not
	options consensus.Options
	eta     float64 // 0: 1.6
	mixCost float64
	publish float64 // time of a publish to four neighbours in units; 0: 0.1
	latency float64 // 0: 0.005
	horizon float64 // units; 0: 400
	race    bool    // end once the target is reached
}

// targetLoss: the target is reached when the average model's test loss is at most this.
const targetLoss = 0.18

// outcome is what one run of a study showed.
type outcome struct {
	time      float64 // to the target, in units; infinite: not reached
	recall    float64 // of the digit 7, mean over the peers' own models
	gradients float64 // per unit
	messages  float64 // per unit
}

// peersOfStudy is N.
const peersOfStudy = 8

func (s study) complete() study {
	if s.law == nil {
		s.law = homogeneous
	}
	if s.eta == 0 {
		s.eta = 1.6
	}
	if s.mixCost == 0 {
		s.mixCost = 0.02
	}
	if s.publish == 0 {
		s.publish, s.latency = 0.1, 0.005
	}
	if s.horizon == 0 {
		s.horizon = 400
	}
	return s
}

// run is one seed of a study.
func (s study) run(t testing.TB, seedValue uint64) outcome {
	s = s.complete()
	var out outcome
	network := s.network(t, seedValue, &out).build(t)
	judge := newMLP()
	readings := []float64{math.Inf(1)}
	for len(readings) <= int(s.horizon) && readings[len(readings)-1] > targetLoss {
		network.Run(at(float64(len(readings))))
		readings = append(readings, s.score(t, judge, average(network)).Loss)
	}
	out.time = timeTo(readings)
	elapsed := float64(len(readings) - 1)
	if !s.race {
		elapsed = s.horizon
		network.Run(at(elapsed))
	}
	out.gradients /= elapsed
	out.messages /= elapsed
	for _, m := range network.Live() {
		out.recall += s.score(t, judge, m.Params()).Recall[7] / peersOfStudy
	}
	return out
}

// timeTo returns when the readings, one a unit, first meet the target, interpolated.
func timeTo(readings []float64) float64 {
	for i, loss := range readings {
		if loss <= targetLoss {
			before := readings[i-1]
			if math.IsInf(before, 1) {
				return float64(i)
			}
			return float64(i) - (targetLoss-loss)/(before-loss)
		}
	}
	return math.Inf(1)
}

func newMLP() train.Model { return train.NewMLP(64, []int{48}, 10) }

func (s study) score(t testing.TB, model train.Model, params []float32) train.Score {
	t.Helper()
	score, err := train.Evaluate(model, params, digits().Test, 0)
	if err != nil {
		t.Fatal(err)
	}
	return score
}

// network describes the network of a seed, which counts gradients and messages in out.
func (s study) network(t testing.TB, seedValue uint64, out *outcome) lab {
	params := newMLP().Init(seed.Stream(seedValue, "init"))
	shards := s.deal(seedValue)
	l := lab{
		graph: circulant(peersOfStudy, 4), law: s.law, params: params, options: s.options,
		seed: seedValue, mixCost: s.mixCost,
		link: sim.Link{Rate: float64(32*len(params)) / (s.publish / 4), Latency: units(s.latency)},
		trainer: func(i int) train.Trainer {
			source := rand.NewPCG(seed.Derive(seedValue, "batch", string(number(i))), 0)
			sgd, err := train.NewSGD(newMLP(), shards[i], train.Descent{Batch: 16, Rate: s.eta}, source)
			if err != nil {
				t.Fatal(err)
			}
			return sgd
		},
		observer: func(_ consensus.Time, _ consensus.Peer, ev consensus.Event, _ []consensus.Effect) {
			switch e := ev.(type) {
			case consensus.Trained:
				out.gradients += float64(e.Steps)
			case consensus.Sent:
				out.messages++
			}
		},
	}
	if s.slow > 0 {
		l.laws, l.slow = map[int]law{3: s.law.times(s.slow)}, map[int]bool{3: true}
	}
	return l
}

// digits is the data set with 360 images held out; the split is the same for every seed.
var digits = sync.OnceValue(func() data.Split {
	split, err := data.Digits(360.0 / 1797)
	if err != nil {
		panic(err)
	}
	return split
})

// part is some samples of another.
type part struct {
	train.Samples
	rows []int
}

func (p part) Len() int                        { return len(p.rows) }
func (p part) Read(i int, x []float32) float32 { return p.Samples.Read(p.rows[i], x) }

// deal shuffles the training images and deals them round-robin.
func (s study) deal(seedValue uint64) []part {
	all := digits().Train
	shards := make([]part, peersOfStudy)
	for i := range shards {
		shards[i].Samples = all
	}
	pixels := make([]float32, all.Features())
	for k, row := range seed.Stream(seedValue, "deal").Perm(all.Len()) {
		to := k % peersOfStudy
		if s.excl && all.Read(row, pixels) == 7 {
			to = 3
		}
		shards[to].rows = append(shards[to].rows, row)
	}
	return shards
}

// average returns the unweighted mean of the estimates of all live peers.
func average(n *sim.Network) []float32 {
	machines := n.Live()
	mean := make([]float32, len(machines[0].Params()))
	for i := range mean {
		sum := 0.0
		for _, m := range machines {
			sum += float64(m.Params()[i])
		}
		mean[i] = float32(sum / float64(len(machines)))
	}
	return mean
}

// results are the outcomes of one study over seeds.
type results []outcome

// over runs a study with several seeds, on the cores that are free.
func (s study) over(t testing.TB, seeds []uint64) results {
	t.Helper()
	out := make(results, len(seeds))
	var runs sync.WaitGroup
	for i, seedValue := range seeds {
		runs.Go(func() {
			slots <- struct{}{}
			out[i] = s.run(t, seedValue)
			<-slots
		})
	}
	runs.Wait()
	t.Logf("%-7s time %.0f, recall %.3f, gradients %.2f, messages %.1f", s.options.Recipe,
		out.time(), out.recall(), out.median(func(o outcome) float64 { return o.gradients }),
		out.median(func(o outcome) float64 { return o.messages }))
	return out
}

// slots bounds the runs at a time.
var slots = make(chan struct{}, 2)

func (r results) median(get func(outcome) float64) float64 {
	var values []float64
	for _, o := range r {
		values = append(values, get(o))
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

func (r results) time() float64   { return r.median(func(o outcome) float64 { return o.time }) }
func (r results) recall() float64 { return r.median(func(o outcome) float64 { return o.recall }) }
