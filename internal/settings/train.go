package settings

import (
	"strings"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/task"
	"github.com/starling-ml/starling/vec"
)

// Train says what is learned, how a peer learns, and how peers agree.
type Train struct {
	// Task is what is learned.
	Task Task `yaml:"task,omitempty"`
	// Recipe is how peers wait and mix; starling recipes lists them.
	Recipe Recipe `yaml:"recipe,omitempty"`
	// LocalSteps is the number of local steps between two publications; 0: the recipe's default.
	LocalSteps int `yaml:"local_steps,omitempty" jsonschema:"minimum=0,maximum=1000000"`
	// LR is the learning rate.
	LR float64 `yaml:"lr,omitempty" jsonschema:"exclusiveMinimum=0"`
	// LRSchedule changes the learning rate with the local steps.
	LRSchedule train.Schedule `yaml:"lr_schedule,omitempty"`
	// Momentum is the share of the last local update that is repeated.
	Momentum float64 `yaml:"momentum,omitempty" jsonschema:"minimum=0,exclusiveMaximum=1"`
	// WeightDecay pulls every parameter to 0 by lr * weight_decay of itself a step.
	WeightDecay float64 `yaml:"weight_decay,omitempty" jsonschema:"minimum=0"`
	// Wait is how long a peer waits for its neighbours.
	Wait Wait `yaml:"wait,omitempty"`
	// Late is what happens to a block that still runs when its round closes (backup, dybw).
	Late consensus.Late `yaml:"late,omitempty" jsonschema:"enum=abort,enum=carry,enum=skip,enum=cut"`
	// Mix is whom a peer mixes with (backup, quorum).
	Mix consensus.MixSet `yaml:"mix,omitempty" jsonschema:"enum=mutual,enum=latest,enum=fresh"`
	// Weights is how the weight of an estimate depends on its age (backup, quorum).
	Weights consensus.Weighting `yaml:"weights,omitempty" jsonschema:"enum=constant,enum=inverse-age"`
	// StaticDegrees takes mixing weights from all neighbours: one message less, slower mixing (backup, dybw).
	StaticDegrees bool `yaml:"static_degrees,omitempty"`
	// Participation divides a peer's update by the share of the rounds it takes part in (backup, dybw).
	Participation bool `yaml:"participation,omitempty"`
	// QuasiGlobalMomentum is momentum over whole blocks; 0: none.
	QuasiGlobalMomentum float64 `yaml:"quasi_global_momentum,omitempty" jsonschema:"minimum=0,exclusiveMaximum=1"`
	// Pulse switches parts of the recipe pulse off, for experiments.
	Pulse *Pulse `yaml:"pulse,omitempty"`
	// Budget is the time of a block, in place of a number of local steps.
	Budget Duration `yaml:"budget,omitempty"`
	// Normalise weighs a block's update by the usual number of steps over those that were done.
	Normalise bool `yaml:"normalise,omitempty"`
	// Gamma is the share of the way to the average that a mix goes; 0: the recipe's default.
	Gamma float64 `yaml:"gamma,omitempty" jsonschema:"minimum=0,maximum=1"`
	// RateCap is the largest factor on the update of a peer that updates rarely (adpsgd, sgp).
	RateCap float64 `yaml:"rate_cap,omitempty" jsonschema:"minimum=0"`
	// Overlap is the number of blocks that go on while a mix is under way (sgp).
	Overlap int `yaml:"overlap,omitempty" jsonschema:"minimum=0"`
	// Gap is how many blocks a peer may be ahead of its neighbours (dssp).
	Gap Gap `yaml:"gap,omitempty"`
	// FullW mixes with W instead of (I+W)/2 (d2).
	FullW bool `yaml:"full_w,omitempty"`
	// RunningSums lets trackers travel as sums, and nobody is waited for (gt).
	RunningSums bool `yaml:"running_sums,omitempty"`
	// Outer is how slow weights move (noloco).
	Outer Outer `yaml:"outer,omitempty"`
	// Robust is the rule against hostile neighbours; empty: none.
	Robust consensus.Robust `yaml:"robust,omitempty" jsonschema:"enum=clip,enum=trim,enum=nna"`
	// Attackers is the number of hostile neighbours that robust bears; 0: 1.
	Attackers int `yaml:"attackers,omitempty" jsonschema:"minimum=0"`
	// Codec writes estimates in fewer bytes.
	Codec Codec `yaml:"codec,omitempty"`
	// Share divides data that all peers have, and the batch, in proportion to speed; empty: equally.
	Share consensus.Sharing `yaml:"share,omitempty" jsonschema:"enum=speed"`
	// Schedule is who mixes with whom in which round; by default everybody with all neighbours.
	Schedule Schedule `yaml:"schedule,omitempty"`
	// Stop is when training ends; by default it does not.
	Stop Stop `yaml:"stop,omitempty"`
}

// Gap is how many blocks a peer may be ahead of its slowest neighbour (dssp).
type Gap struct {
	// Min is always allowed; 0: 1.
	Min int `yaml:"min,omitempty" jsonschema:"minimum=0"`
	// Max is allowed where running on makes the wait shorter; 0: 8.
	Max int `yaml:"max,omitempty" jsonschema:"minimum=0"`
	// Skip is the number of rounds that a peer that is behind skips at once at most; 0: max.
	Skip int `yaml:"skip,omitempty" jsonschema:"minimum=0"`
}

// Outer is how the slow weights of noloco move.
type Outer struct {
	// Rate is their step size; 0: 0.7.
	Rate float64 `yaml:"rate,omitempty" jsonschema:"minimum=0,maximum=2"`
	// Momentum is the share of the last movement that is repeated; 0: 0.5.
	Momentum float64 `yaml:"momentum,omitempty" jsonschema:"minimum=0,exclusiveMaximum=1"`
}

// CodecKind is the name of a codec.
type CodecKind string

// Choices lists the codecs, the default first.
func (CodecKind) Choices() []string {
	return []string{
		"dense", string(vec.BF16), string(vec.Int8), string(vec.TopK), string(vec.Slim), string(vec.Fragment),
		string(vec.Auto),
	}
}

// Codec says how estimates are written in fewer bytes.
type Codec struct {
	// Kind is the codec; empty: float32 values as they are. auto: dense or int8, whichever suits the links.
	Kind CodecKind `yaml:"kind,omitempty"`
	// Block is the number of values that share a scale (int8); 0: 256.
	Block int `yaml:"block,omitempty" jsonschema:"minimum=0"`
	// Keep is the share of the values that is sent (top-k, slim); 0: 0.2.
	Keep float64 `yaml:"keep,omitempty" jsonschema:"minimum=0,maximum=1"`
	// Random is the share of keep that is drawn at random (slim); 0: 0.25.
	Random float64 `yaml:"random,omitempty" jsonschema:"minimum=0,maximum=1"`
	// Parts is the number of fragments, one of which is sent at a time (block); 0: 4.
	Parts int `yaml:"parts,omitempty" jsonschema:"minimum=0"`
}

// Schedule is who mixes with whom in which round.
type Schedule struct {
	// Kind is the schedule; empty: none.
	Kind string `yaml:"kind,omitempty"`
	// Size is the number of mates of base, or the number of peers of a cell or a group; 0: the default.
	Size int `yaml:"size,omitempty" jsonschema:"minimum=0"`
	// Every is the number of rounds after which cells exchange with one another; 0: 4.
	Every int `yaml:"every,omitempty" jsonschema:"minimum=0"`
	// Seed of matchings and groups.
	Seed uint64 `yaml:"seed,omitempty"`
}

// Wait is how long a peer waits for its neighbours before it mixes.
type Wait struct {
	// Quorum is the number of neighbours that must have said something new; 0: half of them.
	Quorum int `yaml:"quorum,omitempty" jsonschema:"minimum=0"`
	// Fraction is the share of the neighbours that backup waits for; 0: 0.75.
	Fraction float64 `yaml:"fraction,omitempty" jsonschema:"minimum=0,maximum=1"`
	// Grace is the extra wait after the quorum: a time, or a multiple of the median block time.
	Grace Span `yaml:"grace,omitempty"`
	// Timeout is the longest wait: a time, or a multiple of the median block time; 0: none.
	Timeout Span `yaml:"timeout,omitempty"`
}

// Pulse holds the constants of the recipe pulse.
type Pulse struct {
	// MaxPieces is the largest factor by which a slow peer repeats its update; 0: 8, 1: no scaling.
	MaxPieces int `yaml:"max_pieces,omitempty" jsonschema:"minimum=0"`
	// NoMidBlock switches publishing and mixing inside a block off: it diverges.
	NoMidBlock bool `yaml:"no_mid_block,omitempty"`
	// Jump adds the whole scaled update at once: it is slower.
	Jump bool `yaml:"jump,omitempty"`
}

// Stop is when training ends: at the first of what is given.
type Stop struct {
	// Time since the start of the run.
	Time Duration `yaml:"time,omitempty"`
	// Steps is the number of local steps of a peer.
	Steps int `yaml:"steps,omitempty" jsonschema:"minimum=0"`
	// Target is a metric that is good enough.
	Target *Target `yaml:"target,omitempty"`
}

// Target is a value of a metric that a run wants to reach.
type Target struct {
	// Metric is eval/accuracy or eval/loss; of a regression eval/rmse or eval/loss.
	Metric string `yaml:"metric" jsonschema:"required,enum=eval/accuracy,enum=eval/loss,enum=eval/rmse"`
	// AtLeast is met from below.
	AtLeast *float64 `yaml:"at_least,omitempty"`
	// AtMost is met from above.
	AtMost *float64 `yaml:"at_most,omitempty"`
}

// DefaultTrain returns the defaults that do not depend on other values; task and Compose know the rest.
func DefaultTrain() Train {
	spec := task.Spec{}.WithDefaults()
	return Train{
		Task: Task{
			Dataset: Dataset(spec.Dataset), Scale: spec.Scale, TestFraction: spec.TestFraction, Batch: spec.Batch,
		},
		LR:     spec.LR,
		Recipe: Recipe(consensus.Recipes()[0].Name),
	}
}

// Spec is the task as train/task reads it, without its defaults.
func (t Train) Spec() task.Spec {
	spec := t.Task.spec()
	spec.LR, spec.Schedule, spec.Momentum, spec.WeightDecay = t.LR, t.LRSchedule, t.Momentum, t.WeightDecay
	return spec
}

// Options are the choices of the recipe, as the core reads them.
func (t Train) Options() consensus.Options {
	o := consensus.Options{
		Recipe: string(t.Recipe), LocalSteps: t.LocalSteps,
		Quorum: t.Wait.Quorum, Fraction: t.Wait.Fraction,
		Grace: t.Wait.Grace.Duration.Core(), GraceFraction: t.Wait.Grace.Factor,
		Timeout: t.Wait.Timeout.Duration.Core(), TimeoutFactor: t.Wait.Timeout.Factor,
		Late: t.Late, Mix: t.Mix, Weights: t.Weights,
		StaticDegrees: t.StaticDegrees, Participation: t.Participation, Momentum: t.QuasiGlobalMomentum,
	}
	o.Budget, o.Normalise, o.Gamma, o.RateCap = t.Budget.Core(), t.Normalise, t.Gamma, t.RateCap
	o.Overlap, o.GapMin, o.GapMax, o.MaxSkip = t.Overlap, t.Gap.Min, t.Gap.Max, t.Gap.Skip
	o.FullW, o.RunningSums = t.FullW, t.RunningSums
	o.OuterRate, o.OuterMoment = t.Outer.Rate, t.Outer.Momentum
	o.Robust, o.Attackers, o.Share = t.Robust, t.Attackers, t.Share
	o.Codec, o.Schedule = t.Codec.core(), topology.ScheduleSpec(t.Schedule)
	if t.Pulse != nil {
		o.Pulse = &consensus.PulseOptions{
			MaxPieces: t.Pulse.MaxPieces, NoMidBlock: t.Pulse.NoMidBlock, Jump: t.Pulse.Jump,
		}
	}
	return o
}

// core is the codec as vec reads it.
func (c Codec) core() vec.Codec {
	if c.Kind == "dense" {
		c.Kind = CodecKind(vec.Dense)
	}
	return vec.Codec{Kind: vec.CodecKind(c.Kind), Block: c.Block, Keep: c.Keep, Random: c.Random, Parts: c.Parts}
}

// Check reports what cannot be learned or cannot converge, and what is likely to disappoint. The graph
// may be nil.
func (t Train) Check(d *Document, path string, g *topology.Graph) {
	t.Task.check(d, join(path, "task"))
	validate(d, path, t.Spec().WithDefaults())
	checkOptions(d, path, t.Options(), g)
	if target := t.Stop.Target; target != nil {
		target.check(d, join(path, "stop.target"), t.Spec().WithDefaults().Kind)
	}
}

// check demands a metric that the kind of the task has, and a bound from the right side.
func (t Target) check(d *Document, path, kind string) {
	accuracy := t.Metric == "eval/accuracy"
	switch {
	case accuracy && kind == task.Regression:
		d.Problem(path, "a regression has no accuracy", "use metric: eval/rmse or eval/loss")
	case t.Metric == "eval/rmse" && kind == task.Classification:
		d.Problem(path, "classes have no rmse", "use metric: eval/accuracy or eval/loss")
	case accuracy && (t.AtLeast == nil || t.AtMost != nil):
		d.Problem(path, "accuracy rises", "give at_least, and no at_most")
	case !accuracy && (t.AtMost == nil || t.AtLeast != nil):
		d.Problem(path, strings.TrimPrefix(t.Metric, "eval/")+" falls", "give at_most, and no at_least")
	}
}
