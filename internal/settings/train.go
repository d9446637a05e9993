package settings

import (
	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/topology"
	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/task"
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
	Late consensus.Late `yaml:"late,omitempty" jsonschema:"enum=abort,enum=carry,enum=skip"`
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
	// Stop is when training ends; by default it does not.
	Stop Stop `yaml:"stop,omitempty"`
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
	// Metric is eval/accuracy or eval/loss.
	Metric string `yaml:"metric" jsonschema:"required,enum=eval/accuracy,enum=eval/loss"`
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
	if t.Pulse != nil {
		o.Pulse = &consensus.PulseOptions{
			MaxPieces: t.Pulse.MaxPieces, NoMidBlock: t.Pulse.NoMidBlock, Jump: t.Pulse.Jump,
		}
	}
	return o
}

// Check reports what cannot be learned or cannot converge, and what is likely to disappoint. The graph
// may be nil.
func (t Train) Check(d *Document, path string, g *topology.Graph) {
	t.Task.check(d, join(path, "task"))
	validate(d, path, t.Spec().WithDefaults())
	checkOptions(d, path, t.Options(), g)
	if target := t.Stop.Target; target != nil {
		target.check(d, join(path, "stop.target"))
	}
}

// check demands a bound from the right side.
func (t Target) check(d *Document, path string) {
	accuracy := t.Metric == "eval/accuracy"
	switch {
	case accuracy && (t.AtLeast == nil || t.AtMost != nil):
		d.Problem(path, "accuracy rises", "give at_least, and no at_most")
	case !accuracy && (t.AtMost == nil || t.AtLeast != nil):
		d.Problem(path, "loss falls", "give at_most, and no at_least")
	}
}
