package estimate

import (
	"errors"
	"fmt"
	"math"

	"github.com/starling-ml/starling/testnet"
)

// MaxPeers is the number of peers up to which networks are estimated: what neighbours have in common is worked
// out for every pair of peers.
const MaxPeers = 512

// Figures are what is expected of a network of one size. Its JSON names are stable within version 1.
type Figures struct {
	Peers  int     `json:"peers"`
	Degree float64 `json:"degree"` // mean number of neighbours
	// Round is the mean time of a peer from one mix at the end of a block to the next, in seconds, and the sum
	// of the three that follow: training and mixing; waiting that would remain if links took no time;
	// waiting because of links.
	Round         float64 `json:"round_s"`
	Compute       float64 `json:"compute_s"`
	Waiting       float64 `json:"waiting_s"`
	Communication float64 `json:"communication_s"`
	// Sending is how long what a peer sends for one block takes to leave its uplink and arrive, in seconds,
	// whether anybody waits for it or not.
	Sending float64 `json:"sending_s"`
	// Training is the time of a block that Sending is compared with, in seconds: that of pulse is not made
	// longer for the uplink.
	Training    float64 `json:"training_s"`
	PeerBlocks  float64 `json:"blocks_per_s_per_peer"`
	Blocks      float64 `json:"blocks_per_s"`
	Gradients   float64 `json:"gradients_per_s"` // local steps of all peers
	MessageSize float64 `json:"message_bytes"`
	Rate        float64 `json:"uplink_bits_per_s"` // of the slowest uplink; 0: no limit
	Copies      float64 `json:"messages_per_block"`
	Latency     float64 `json:"latency_s"`
	Steps       float64 `json:"local_steps"` // of a block, mean
}

// Of estimates a run.
func Of(plan *testnet.Plan) (Figures, error) {
	if err := Coverable(plan); err != nil {
		return Figures{}, err
	}
	m, _ := modelOf(plan.Options, plan.Graph)
	n, err := networkOf(plan)
	if err != nil {
		return Figures{}, err
	}
	return n.figures(m)
}

// Coverable returns why a run cannot be estimated, or nil.
func Coverable(plan *testnet.Plan) error {
	if n := len(plan.Members); n < 2 || n > MaxPeers {
		return fmt.Errorf("peers.count %d: estimates are of 2 to %d peers; give another number", n, MaxPeers)
	}
	if up := limited(plan); plan.Options.Recipe == "backup" && up > 0 {
		return fmt.Errorf("peers.defaults.link.up %s is not covered by the cost model of recipe backup: which message "+
			"closes a round depends on all queues; %s, or set it to 0bit/s", Bits(up), simulate)
	}
	_, err := modelOf(plan.Options, plan.Graph)
	return err
}

// limited is the rate of an uplink that has a limit, in bits per second; 0: none has.
func limited(plan *testnet.Plan) float64 {
	for i := range plan.Members {
		if up := plan.Members[i].Link.Up; up > 0 {
			return 8 * float64(up)
		}
	}
	return 0
}

// figures works out what a model says.
func (n *network) figures(m model) (Figures, error) {
	ideal := n.ideal()
	if err := ideal.blocks(); err != nil {
		return Figures{}, err
	}
	f, bare := n.rates(m), ideal.rates(m)
	f.Waiting = max(0, min(bare.Round-bare.Compute, f.Round-f.Compute))
	f.Communication = max(0, f.Round-f.Compute-f.Waiting)
	f.Sending, f.Training, f.Steps = n.mean(n.sendingTime), bare.Compute, f.Gradients/f.Blocks
	f.Latency = n.mean(func(k kind) float64 { return k.latency })
	f.MessageSize, f.Copies = n.bytes, n.copies()
	for _, k := range n.kinds {
		if k.rate > 0 && (f.Rate == 0 || k.rate < f.Rate) {
			f.Rate = k.rate
		}
	}
	if math.IsNaN(f.Round) || math.IsInf(f.Round, 0) {
		return Figures{}, errors.New("the model has no answer for this network; " + simulate)
	}
	return f, nil
}

func (n *network) sendingTime(k kind) float64 { return n.sending(k) + k.latency }

// rates are the rounds and the work of all peers.
func (n *network) rates(m model) Figures {
	f := Figures{Peers: n.peers, Degree: n.degree}
	trained := 0.0
	for i, round := range m(n) {
		k := n.kinds[i]
		f.Blocks += k.count / round
		f.Gradients += k.count * k.steps / round
		trained += k.count * k.block.mean() / round
	}
	f.PeerBlocks = f.Blocks / float64(n.peers)
	f.Round, f.Compute = 1/f.PeerBlocks, trained/f.Blocks
	return f
}
