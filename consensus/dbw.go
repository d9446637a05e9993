package consensus

import "fmt"

// dbwRecipe is DBW (Xu, Neglia, Sebastianelli 2020, 2004.14696), per peer and without a server: wait for so many
// neighbours that the expected gain of the step, divided by the expected time, is largest. The gain of a step with k
// gradients is (eta - L eta^2/2) G2 - (L eta^2/2) V/k: little is gained by more gradients while the gradient is large
// against its noise, much near the optimum.
//
// The paper's server sees the gradients of all workers at one point. A peer sees estimates that were trained and
// mixed elsewhere, whose differences are no gradients. So G2 and V are those of its own last updates D = -eta g, in
// which eta cancels. The paper fits L to the change of the loss, for which eta must be known; here L eta is taken to
// be 1, the step size that gains most: a step gains as long as the mean update stands out of its noise.
var dbwRecipe = composed{
	RecipeInfo: RecipeInfo{
		Name: "dbw", Title: "as many as pay, by forecast gain and time",
		Wait: "for so many new estimates that the gain of the step divided by the expected time until then is largest",
		Mix:  "the newest estimate of every live neighbour, damped by its age",
		Equation: "p = argmax (G2 - V/(p+1)) / (t + E[R_(p)]), t and R as cutoff, " +
			"G2 = max(|mean D|^2 - V/5, 0), V = var D over the last 5 updates; x += sum_j w_ij (rep_j - x)",
		Source:  "DBW, 2004.14696; the estimators from own updates are ours",
		When:    "slowness is random and data are alike: few are waited for early on, more near the optimum",
		WhenNot: "a peer is always slow: near the optimum, where no step gains, all are waited for",
		Options: []Option{
			optSteps, optBudget, optNormalise, optTimeout, optTimeoutFactor, optReplicaWeights, optMomentum,
		},
	},
	build: buildDBW, defaults: defaultReplicas, pieces: piecesQuorum,
}

// recent is the number of updates over which gradient and noise are estimated (D of the paper).
const recent = 5

// dbw is the rule of a peer that estimates what a step gains.
type dbw struct {
	forecast
	updates [][]float32 // the last ones, newest last
	loss    [2]float64  // moving averages of the training loss: now and a block ago
	last    int         // waited for
}

// apply learns from a block's update.
func (d *dbw) apply(m *Machine, done Trained) {
	d.updates = push(d.updates, difference(1, m.block.snapshot, done.Params), recent)
	d.loss[1] = d.loss[0]
	d.loss[0] += (float64(done.Loss) - d.loss[0]) / recent
	if d.loss[1] == 0 {
		d.loss = [2]float64{float64(done.Loss), float64(done.Loss)}
	}
	d.forecast.apply(m, done)
}

// moments returns the squared length of the mean update, without the part that is noise, and the variance of one,
// summed over coordinates.
func (d *dbw) moments() (squared, variance float64) {
	k := float64(len(d.updates))
	for i := range d.updates[0] {
		sum, squares := 0.0, 0.0
		for _, u := range d.updates {
			x := float64(u[i])
			sum += x
			squares += float64(x * x)
		}
		mean := sum / k
		squared += float64(mean * mean)
		variance += max(0, squares-float64(sum*sum)/k) / (k - 1)
	}
	return max(0, squared-variance/k), variance
}

// gain returns what a step with so many new estimates and the own one gains, in units of eta/2.
func gain(squared, variance float64, heard int) float64 { return squared - variance/float64(heard+1) }

// rose is by how much the loss must rise for one neighbour more to be waited for (beta of the paper).
const rose = 1.01

func (d *dbw) begin(m *Machine) {
	d.value = func(*Machine, int) float64 { return 1 }
	if len(d.updates) == recent {
		squared, variance := d.moments()
		d.value = func(_ *Machine, heard int) float64 { return gain(squared, variance, heard) }
	}
	d.forecast.begin(m)
	if d.loss[0] > rose*d.loss[1] {
		d.need = max(d.need, d.last+1)
	}
	d.last = d.need
}

func (d *dbw) save(s *State) {
	s.Gain = &GainState{Loss: d.loss, Waited: d.last}
	for i, v := range d.updates {
		s.Vectors[updateName(i)] = v
	}
}

func (d *dbw) load(_ *Machine, s State) {
	if s.Gain == nil {
		return
	}
	d.loss, d.last = s.Gain.Loss, s.Gain.Waited
	for i := range recent {
		if v := s.Vectors[updateName(i)]; v != nil {
			d.updates = append(d.updates, v)
		}
	}
}

func updateName(i int) string { return fmt.Sprintf("update/%d", i) }

func buildDBW(m *Machine) {
	d := &dbw{}
	m.useForecast(d, d)
}
