package estimate

import (
	"fmt"
	"math"

	"github.com/starling-ml/starling/testnet"
)

// dominates says in a sentence where sending takes longer than training.
func (g *Growth) dominates() string {
	own := g.Rows[g.own]
	slower := fmt.Sprintf("with %d peers whatever the uplinks, for the latency alone is longer", own.Peers)
	if rate := own.enoughRate(); rate > 0 {
		slower = fmt.Sprintf("with %d peers and less than %s each", own.Peers, Bits(rate))
	}
	switch from := g.from(); from {
	case 0:
		return "training takes longer than sending at every size here; sending would take longer " + slower
	case g.Rows[0].Peers:
		return "sending takes longer than training at every size here, and " + slower
	default:
		return fmt.Sprintf("sending takes longer than training from %d peers on, and %s", from, slower)
	}
}

// from is the number of peers from which on sending takes longer than training; 0: none in the table.
func (g *Growth) from() int {
	from := 0
	for i := len(g.Rows) - 1; i >= 0 && g.Rows[i].Sending > g.Rows[i].Training; i-- {
		from = g.Rows[i].Peers
	}
	return from
}

// enoughRate is the rate of an uplink, in bits per second, at which sending takes as long as training; 0:
// no rate is enough.
func (f Figures) enoughRate() float64 {
	left := f.Training - f.Latency
	if left <= 0 {
		return 0
	}
	return f.Copies * 8 * f.MessageSize / left
}

// help says what would make sending shorter than training where it is not.
func (g *Growth) help(plan *testnet.Plan) []string {
	worst := g.Rows[g.own]
	if last := g.Rows[len(g.Rows)-1]; worst.Sending <= worst.Training {
		worst = last
	}
	if worst.Sending <= worst.Training {
		return nil
	}
	var all []string
	what := fmt.Sprintf("with %d peers, ", worst.Peers)
	if g.leaner > 0 {
		lean := (worst.Sending-worst.Latency)*g.leaner + worst.Latency
		all = append(all, fmt.Sprintf("%strain.codec.kind int8 cuts sending from %s to %s", what,
			Seconds(worst.Sending), Seconds(lean)))
	}
	if !beats(plan.Options) && plan.Options.Budget == 0 {
		h := max(1, plan.Options.LocalSteps)
		need := math.Ceil(float64(h) * worst.Sending / worst.Training)
		all = append(all, fmt.Sprintf("%strain.local_steps %.0f makes training as long as sending", what, need))
	}
	if beats(plan.Options) && plan.Options.LocalSteps == 0 {
		all = append(all, plan.Options.Recipe+" chooses longer blocks by itself where sending is slow")
	}
	if worst.Degree > 2 && worst.Copies > 2 {
		all = append(all, fmt.Sprintf("%sa sparser graph: each neighbour costs %s for every block; "+
			"starling topology suggest compares some", what, Seconds((worst.Sending-worst.Latency)/worst.Copies)))
	}
	return all
}

// Seconds prints a time with three digits.
func Seconds(s float64) string {
	switch {
	case s == 0:
		return "0"
	case s < 1e-3:
		return fmt.Sprintf("%.3g us", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	case s < 999.5:
		return fmt.Sprintf("%.3g s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// Bits prints a rate of bits per second with three digits.
func Bits(rate float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}} {
		if rate >= unit.size*0.9995 {
			return fmt.Sprintf("%.3g %s", rate/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g bit/s", rate)
}
