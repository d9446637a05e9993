package consensus

// The options as recipes list them.
var (
	optSteps = Option{
		"local_steps", "1", "local steps per block; more steps, fewer messages, more drift",
		func(o Options) bool { return o.LocalSteps != 0 },
	}
	optBeatSteps = Option{
		"local_steps", "as many as fit a beat, 1 to 64", "fixes the local steps of every block",
		func(o Options) bool { return o.LocalSteps != 0 },
	}
	optQuorum = Option{
		"quorum", "half of the live neighbours, rounded up",
		"neighbours that must have said something new; few: fast and drifting, all: the slowest decides",
		func(o Options) bool { return o.Quorum != 0 },
	}
	optFraction = Option{
		"fraction", "0.75", "share of the live neighbours to wait for; the others are backups",
		func(o Options) bool { return o.Fraction != 0 },
	}
	optGrace = Option{
		"grace", "0", "extra wait after the quorum, so that the nearly finished are heard",
		func(o Options) bool { return o.Grace != 0 },
	}
	optGraceFraction = Option{
		"grace_fraction", "0", "the same as a fraction of the median block time",
		func(o Options) bool { return o.GraceFraction != 0 },
	}
	optTimeout = Option{
		"timeout", "none", "longest wait for a neighbour that counts as live",
		func(o Options) bool { return o.Timeout != 0 },
	}
	optTimeoutFactor = Option{
		"timeout_factor", "none", "the same in median block times; the shorter one holds",
		func(o Options) bool { return o.TimeoutFactor != 0 },
	}
	optLate = Option{
		"late", "skip",
		"a block that runs when its round closes: abort loses it, carry keeps it and falls behind, " +
			"skip joins a later round with it, cut ends it early and counts what was done",
		func(o Options) bool { return o.Late != "" },
	}
	optMutualOrLatest = Option{
		"mix", "mutual", "mutual: edges both ends agree on; latest: newest of all; " +
			"fresh: only what is new, which drops the data of the slow",
		func(o Options) bool { return o.Mix != "" },
	}
	optLatestOrFresh = Option{
		"mix", "latest", "latest: newest of all; fresh: only what is new, which drops " +
			"the data of the slow",
		func(o Options) bool { return o.Mix != "" },
	}
	optWeights = Option{
		"weights", "inverse-age", "constant, or inverse-age: an old estimate counts less",
		func(o Options) bool { return o.Weights != "" },
	}
	optBackupWeights = Option{
		"weights", "constant", "with mix latest: constant, or inverse-age",
		func(o Options) bool { return o.Weights != "" },
	}
	optStatic = Option{
		"static_degrees", "false",
		"mutual: weights from all live neighbours; saves a message a round, mixes slower",
		func(o Options) bool { return o.StaticDegrees },
	}
	optParticipation = Option{
		"participation", "false",
		"mutual: divides a peer's update by the share of rounds it takes part in, 8 times at most",
		func(o Options) bool { return o.Participation },
	}
	optMomentum = Option{
		"momentum", "0", "quasi-global momentum over whole blocks; 0: none",
		func(o Options) bool { return o.Momentum != 0 },
	}
	optPulse = Option{
		"pulse", "max_pieces 8", "switches parts of pulse off, for experiments",
		func(o Options) bool { return o.Pulse != nil },
	}
)

// The options of switches and of single recipes.
var (
	optBudget = Option{
		"budget", "none", "trains for a fixed time instead of a number of local steps",
		func(o Options) bool { return o.Budget != 0 },
	}
	optNormalise = Option{
		"normalise", "false", "weighs a block's update by usual steps/steps done, so that unequal work does not " +
			"move the optimum",
		func(o Options) bool { return o.Normalise },
	}
	optGamma = Option{
		"gamma", "1", "share of the way to the average that a mix goes; lossy codecs need less than 1",
		func(o Options) bool { return o.Gamma != 0 },
	}
	optRateCap = Option{
		"rate_cap", "4", "largest factor on the update of a peer that updates rarely; 1: none",
		func(o Options) bool { return o.RateCap != 0 },
	}
	optOverlap = Option{
		"overlap", "none", "waits for neighbours that were not heard for so many blocks",
		func(o Options) bool { return o.Overlap != 0 },
	}
	optGapMin = Option{
		"gap_min", "1", "blocks that a peer may always be ahead of its slowest neighbour",
		func(o Options) bool { return o.GapMin != 0 },
	}
	optGapMax = Option{
		"gap_max", "8, gap_min if that is more", "blocks that it may be ahead where running on makes the wait shorter",
		func(o Options) bool { return o.GapMax != 0 },
	}
	optMaxSkip = Option{
		"max_skip", "gap_max", "rounds that a peer that is behind skips at once at most",
		func(o Options) bool { return o.MaxSkip != 0 },
	}
	optFullW = Option{
		"full_w", "false", "mixes with W instead of (I+W)/2: faster, refused where it diverges",
		func(o Options) bool { return o.FullW },
	}
	optRunningSums = Option{
		"running_sums", "false", "trackers travel as sums: nobody is waited for, lost messages do no harm",
		func(o Options) bool { return o.RunningSums },
	}
	optOuterRate = Option{
		"outer_rate", "0.7", "step size of the slow weights",
		func(o Options) bool { return o.OuterRate != 0 },
	}
	optOuterMomentum = Option{
		"outer_momentum", "0.5", "momentum of the slow weights",
		func(o Options) bool { return o.OuterMoment != 0 },
	}
	optRobust = Option{
		"robust", "none", "bears hostile neighbours: clip, trim or nna",
		func(o Options) bool { return o.Robust != "" },
	}
	optAttackers = Option{
		"attackers", "1", "robust: hostile neighbours that a peer bears",
		func(o Options) bool { return o.Attackers != 0 },
	}
	optCodec = Option{
		"codec", "dense", "writes estimates in fewer bytes: bf16, int8, top-k, slim, block, auto",
		func(o Options) bool { return o.Codec.Kind != "" },
	}
	optShare = Option{
		"share", "equal", "speed: data and batch in proportion to measured speed (data that all peers have)",
		func(o Options) bool { return o.Share != "" },
	}
	optSchedule = Option{
		"schedule", "none", "who mixes with whom in which round: one-peer-exponential, matching, base, cells, groups",
		func(o Options) bool { return o.Schedule.Kind != "" },
	}
)

// allOptions lists every option once, to tell which ones a recipe does not read.
var allOptions = []Option{
	optSteps, optQuorum, optFraction, optGrace, optGraceFraction, optTimeout, optTimeoutFactor, optLate,
	optLatestOrFresh, optWeights, optStatic, optParticipation, optMomentum, optPulse,
	optBudget, optNormalise, optGamma, optRateCap, optOverlap, optGapMin, optGapMax, optMaxSkip, optFullW,
	optRunningSums, optOuterRate, optOuterMomentum, optRobust, optAttackers, optCodec, optShare, optSchedule,
}
