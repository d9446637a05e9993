package consensus

import (
	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/vec"
)

// Late says what a peer does whose block is still running when its round closes.
type Late string

// Late policies. Abort loses the block's local steps; Carry loses nothing and gains nothing against a
// permanently slow peer; Skip joins a later round with an update taken at the old estimate; Cut ends the
// block after the local step that is running, and what was done counts.
const (
	Abort Late = "abort"
	Carry Late = "carry"
	Skip  Late = "skip"
	Cut   Late = "cut"
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

// Robust says how estimates are combined so that a few hostile ones do little.
type Robust string

// Robust rules. Clip shortens the Attackers*2 longest differences to the next longest one (Gaucher et al.
// 2025, 2410.10418); Trim leaves out the Attackers largest and smallest values of every parameter (BRIDGE-T,
// 1908.08098); NNA averages the estimates nearest to one's own, all but Attackers (2302.01772).
const (
	Clip Robust = "clip"
	Trim Robust = "trim"
	NNA  Robust = "nna"
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

	Budget      Duration              // time of a block, in place of local steps; 0: none
	Normalise   bool                  // divide a block's update by its share of the usual work (FedNova, 2007.07481)
	Gamma       float64               // share of the way to the average that a mix goes; 0: 1
	RateCap     float64               // adpsgd, sgp: largest factor on the step of a rare updater; 0: 4, sgp 100; 1: none
	Overlap     int                   // sgp: blocks that a neighbour may be silent for; 0: any number
	GapMin      int                   // dssp: blocks that a peer may always be ahead; 0: 1
	GapMax      int                   // dssp: blocks that a peer may be ahead at most; 0: 8
	MaxSkip     int                   // dssp: rounds that a late peer skips at most; 0: GapMax
	FullW       bool                  // d2: mix with W instead of (I+W)/2
	RunningSums bool                  // gt: trackers travel as sums, and nobody is waited for
	OuterRate   float64               // noloco: step size of the slow weights; 0: 0.7
	OuterMoment float64               // noloco: momentum of the slow weights; 0: 0.5
	Robust      Robust                // rule against hostile estimates; empty: the plain average
	Attackers   int                   // robust: hostile neighbours to bear; 0: 1
	Codec       vec.Codec             // how estimates are written in fewer bytes
	Share       Sharing               // how the pooled work is divided; empty: equally
	Schedule    topology.ScheduleSpec // who mixes with whom in which round; zero: everybody, always
}

// Sharing says how the pooled data and the batch are divided among peers.
type Sharing string

// BySpeed gives every peer data and a batch in proportion to its measured speed (DBS, 2007.11831).
const BySpeed Sharing = "speed"

// PulseOptions are the constants of the pulse recipe; the experiments switch parts of it off.
type PulseOptions struct {
	MaxPieces  int  // largest factor by which a slow peer repeats its update; 0: 8; 1: no scaling
	NoMidBlock bool // no publish and mix inside a block (diverges; kept to show it)
	Jump       bool // add the whole scaled update at once instead of in pieces (slower; kept to show it)
}
