package consensus

// Late says what a peer does whose block is still running when its round closes.
type Late string

// Late policies. Abort loses the block's local steps; Carry loses nothing and gains nothing against a
// permanently slow peer; Skip joins a later round with an update taken at the old estimate.
const (
	Abort Late = "abort"
	Carry Late = "carry"
	Skip  Late = "skip"
)

// MixSet says whom a peer mixes with.
type MixSet string

// Mix sets. Mutual edges are agreed on by both ends in every round; Latest takes the newest replica of
// every live neighbour; Fresh takes only those newer than at the last mix, which silently drops the
// data of slow peers and exists to show it.
const (
	Mutual MixSet = "mutual"
	Latest MixSet = "latest"
	Fresh  MixSet = "fresh"
)

// Weighting says how the weight of a replica depends on its age.
type Weighting string

// Weightings. InverseAge divides by 1 + max(0, age - 2m)/m for the local median step time m.
const (
	Constant   Weighting = "constant"
	InverseAge Weighting = "inverse-age"
)

// Options are the choices of a run. Zero values mean the recipe's default; Compose fills them in and
// refuses sets that are known not to converge.
type Options struct {
	Recipe        string        // name in Recipes()
	LocalSteps    int           // steps per block (H); pulse chooses its own unless > 0
	Quorum        int           // fresh neighbours to wait for; 0: ceil(live/2)
	Fraction      float64       // backup: fraction of neighbours to wait for; 0: 0.75
	Grace         Duration      // quorum: extra wait after the quorum; 0: none
	GraceFraction float64       // quorum: the same as a fraction of the median block time; 0: none
	Timeout       Duration      // longest wait for neighbours; 0: none
	TimeoutFactor float64       // the same in median block times; 0: none
	Late          Late          // backup, dybw
	Mix           MixSet        // backup, quorum
	Weights       Weighting     // quorum
	StaticDegrees bool          // mutual: weights from static degrees; saves a message, mixes slower
	Participation bool          // mutual: divide the step by the measured participation rate
	Momentum      float64       // quasi-global momentum; 0: none
	Pulse         *PulseOptions // nil: the defaults
}

// PulseOptions are the constants of the pulse recipe; the experiments switch parts of it off.
type PulseOptions struct {
	MaxPieces  int  // largest factor by which a slow peer repeats its update; 0: 8; 1: no scaling
	NoMidBlock bool // no publish and mix inside a block (diverges; kept to show it)
	Jump       bool // add the whole scaled update at once instead of in pieces (slower; kept to show it)
}
