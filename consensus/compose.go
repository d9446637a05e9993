package consensus

import (
	"errors"
	"fmt"
	"strings"

	"github.com/starling-ml/starling/topology"
)

// Composition is a complete set of options, and what is worth knowing about it.
type Composition struct {
	Options  Options
	Warnings []Warning
}

// Warning is advice about a composition that runs. IDs do not change.
type Warning struct {
	ID   string // such as "W003 fresh-drops-slow"
	Text string
}

// Compose fills in the defaults of a recipe and refuses sets that are known not to converge, naming
// the clash and the nearest set that works. All errors are returned at once. g may be nil.
func Compose(o Options, g *topology.Graph) (Composition, error) {
	if o.Recipe == "" {
		o.Recipe = recipes[0].Name
	}
	r := lookup(o.Recipe)
	if r == nil {
		return Composition{}, fmt.Errorf("recipe %q is unknown: use one of %s", o.Recipe, recipeNames())
	}
	given := o
	o = r.complete(o)
	errs := append(o.outOfRange(), clash(r.pieces(o))...)
	errs = append(append(errs, o.misfits(g), o.overcorrected(), o.unstable(g), o.undersent()), o.exposed(g)...)
	if err := errors.Join(errs...); err != nil {
		return Composition{}, fmt.Errorf("recipe %s: %w", o.Recipe, err)
	}
	return Composition{Options: o, Warnings: advise(r, given, o, g)}, nil
}

// complete fills in the defaults.
func (r *composed) complete(o Options) Options {
	r.defaults(&o)
	defaultSwitches(&o)
	if o.LocalSteps == 0 && !o.beats() {
		o.LocalSteps = 1
	}
	return o
}

func recipeNames() string {
	names := make([]string, len(recipes))
	for i, r := range recipes {
		names[i] = r.Name
	}
	return strings.Join(names, ", ")
}

// outOfRange lists the options whose value means nothing.
func (o Options) outOfRange() []error {
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	require(o.LocalSteps >= 0, "local_steps %d: give 1 or more", o.LocalSteps)
	require(o.Quorum >= 0, "quorum %d: give a number of neighbours", o.Quorum)
	require(o.Fraction >= 0 && o.Fraction <= 1, "fraction %v: give a share between 0 and 1", o.Fraction)
	require(o.Grace >= 0 && o.GraceFraction >= 0, "grace %d, %v: give a length of time", o.Grace, o.GraceFraction)
	require(o.Timeout >= 0 && o.TimeoutFactor >= 0, "timeout %d, %v: give a length of time", o.Timeout, o.TimeoutFactor)
	require(o.Momentum >= 0 && o.Momentum < 1, "momentum %v: give 0 to less than 1", o.Momentum)
	require(o.Late == "" || o.Late == Abort || o.Late == Carry || o.Late == Skip || o.Late == Cut,
		"late %q: use abort, carry, skip or cut", o.Late)
	require(o.Weights == "" || o.Weights == Constant || o.Weights == InverseAge,
		"weights %q: use constant or inverse-age", o.Weights)
	switch {
	case o.Mix == "" || o.Mix == Latest || o.Mix == Fresh:
	case o.Mix == Mutual:
		require(o.Recipe == "backup" || o.Recipe == "dybw",
			"mix mutual needs rounds that both ends agree on: use recipe backup or dybw, or mix latest")
	default:
		require(false, "mix %q: use mutual, latest or fresh", o.Mix)
	}
	if p := o.Pulse; p != nil {
		require(p.MaxPieces >= 1, "pulse max_pieces %d: give 1 or more", p.MaxPieces)
	}
	return append(errs, o.switchesOutOfRange()...)
}

// switchesOutOfRange lists the switches and the options of single recipes whose value means nothing.
func (o Options) switchesOutOfRange() []error {
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	require(o.Budget >= 0, "budget %d: give a length of time", o.Budget)
	require(o.Gamma >= 0 && o.Gamma <= 1, "gamma %v: give a share between 0 and 1", o.Gamma)
	require(o.RateCap == 0 || o.RateCap >= 1, "rate_cap %v: give 1 or more", o.RateCap)
	require(o.Overlap >= 0, "overlap %d: give a number of blocks", o.Overlap)
	require(o.GapMin >= 0 && o.GapMax >= 0 && (o.GapMax == 0 || o.GapMin <= o.GapMax),
		"gap_min %d, gap_max %d: give numbers of blocks, the least first", o.GapMin, o.GapMax)
	require(o.MaxSkip >= 0, "max_skip %d: give a number of blocks", o.MaxSkip)
	require(o.OuterRate >= 0 && o.OuterRate <= 2, "outer_rate %v: give 0 to 2", o.OuterRate)
	require(o.OuterMoment >= 0 && o.OuterMoment < 1, "outer_momentum %v: give 0 to less than 1", o.OuterMoment)
	require(o.Robust == "" || o.Robust == Clip || o.Robust == Trim || o.Robust == NNA,
		"robust %q: use clip, trim or nna", o.Robust)
	require(o.Attackers >= 0, "attackers %d: give a number of neighbours", o.Attackers)
	require(o.Share == "" || o.Share == BySpeed, "share %q: use speed", o.Share)
	return errs
}
