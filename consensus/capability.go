package consensus

import (
	"fmt"
	"strings"

	"github.com/starling-ml/starling/vec"
)

// capability is something that one piece of a recipe gives and another may need.
type capability uint

const (
	covered      capability = 1 << iota // every live neighbour enters the mixes again and again
	agreed                              // edges are agreed on by both ends in every round
	replicas                            // the newest estimate of everybody is mixed, however old
	rounds                              // rounds close around blocks that still run
	wholeUpdates                        // a block's update enters the estimate once and in full
	lockStep                            // all peers are in the same round, and nobody is left out of one
	fixedWeights                        // the weights of a round are the same in all rounds
	conserved                           // mass or trackers whose sum over all peers must not change
	freeRunning                         // peers update as often as they can, the fast ones more often
	rateScaled                          // updates of rare updaters are enlarged
	lossyFrames                         // what is sent is not exactly what is meant
	pairs                               // a mix is between two peers
	tracked                             // what a block did is measured and corrected before it counts
)

// capabilityNames are as error messages say them.
var capabilityNames = []string{
	"coverage of slow peers", "edges agreed on by both ends", "replicas of everybody",
	"rounds that close around late blocks", "updates added once and whole", "rounds in step",
	"the same weights in all rounds", "conserved sums", "free-running peers", "updates enlarged by rate",
	"lossy frames", "mixing in pairs", "tracked updates",
}

func (c capability) String() string {
	var names []string
	for i, name := range capabilityNames {
		if c&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// socketPiece is one choice for one socket: what it gives, what it needs from the others, and what it
// does not get along with.
type socketPiece struct {
	name    string
	gives   capability
	needs   capability
	clashes capability
	why     string // it does not work without needs, or with clashes
	instead string // the nearest set that works
}

// clash returns why the pieces do not work together, one error a piece.
func clash(pieces []socketPiece) []error {
	var given capability
	for _, p := range pieces {
		given |= p.gives
	}
	var errs []error
	for _, p := range pieces {
		if lacking := p.needs &^ given; lacking != 0 {
			errs = append(errs, fmt.Errorf("%s needs %s: %s; %s", p.name, lacking, p.why, p.instead))
		}
		if both := p.clashes & given; both != 0 {
			errs = append(errs, fmt.Errorf("%s does not go with %s: %s; %s", p.name, both, p.why, p.instead))
		}
	}
	return errs
}

func piecesInStep(o Options) []socketPiece {
	gives := covered | wholeUpdates | lockStep
	if o.Schedule.Kind == "" && o.Robust == "" {
		gives |= fixedWeights
	}
	return append(extras(o), socketPiece{name: "all neighbours of a round", gives: gives})
}

func piecesQuorum(o Options) []socketPiece {
	return append(extras(o), replicaPiece(o))
}

func piecesPulse(o Options) []socketPiece {
	return append(extras(o), socketPiece{name: "held pieces", gives: covered | replicas})
}

func piecesDYBW(o Options) []socketPiece {
	return append(extras(o), mutualPiece(), socketPiece{name: "tree coverage", gives: covered | rounds})
}

func piecesBackup(o Options) []socketPiece {
	if o.Mix != Mutual {
		return append(extras(o), replicaPiece(o))
	}
	closing := socketPiece{name: "a fixed share", gives: rounds}
	if o.Late == Skip {
		closing.gives |= covered // whoever was late joins the round it finishes in
	}
	return append(extras(o), mutualPiece(), closing)
}

func mutualPiece() socketPiece { return socketPiece{name: "mutual edges", gives: agreed} }

func replicaPiece(o Options) socketPiece {
	if o.Mix == Fresh {
		return socketPiece{name: "mix fresh", gives: wholeUpdates}
	}
	return socketPiece{name: "mix latest", gives: replicas | covered | wholeUpdates}
}

// extras are the pieces that options add to any recipe.
func extras(o Options) []socketPiece {
	var pieces []socketPiece
	if o.StaticDegrees {
		pieces = append(pieces, socketPiece{
			name: "static_degrees", needs: agreed,
			why:     "it replaces the exchange of active degrees, which only mutual edges have",
			instead: "use recipe dybw, or backup with mix mutual, or leave it out",
		})
	}
	if o.Participation {
		pieces = append(pieces, socketPiece{
			name: "participation", needs: agreed, clashes: replicas,
			why:     "replicas of everybody already count slow peers in full, scaling them again breaks the balance",
			instead: "use recipe dybw, or backup with mix mutual, or leave it out",
		})
	}
	if o.Momentum > 0 {
		pieces = append(pieces, socketPiece{
			name: "momentum", needs: wholeUpdates,
			why:     "it is computed from the displacement of whole blocks",
			instead: "use recipe quorum or dpsgd, or momentum 0",
		})
	}
	if o.Share != "" {
		pieces = append(pieces, socketPiece{
			name: "share " + string(o.Share), clashes: tracked,
			why: "an update counts as much as its batch, and what corrects it would be scaled with it: the average " +
				"would stop beside the optimum",
			instead: "use recipe dpsgd or quorum: pooled data are alike, and nothing needs correcting",
		})
	}
	if o.Robust != "" {
		pieces = append(pieces, robustPiece(o))
	}
	if o.Schedule.Kind != "" {
		pieces = append(pieces, schedulePiece(o))
	}
	if o.Codec.Kind != vec.Dense {
		pieces = append(pieces, codecPiece(o))
	}
	if o.Gamma > 0 && o.Gamma < 1 {
		pieces = append(pieces, gammaPiece())
	}
	return pieces
}
