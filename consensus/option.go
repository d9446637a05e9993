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
			"skip joins a later round with it",
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

// allOptions lists every option once, to tell which ones a recipe does not read.
var allOptions = []Option{
	optSteps, optQuorum, optFraction, optGrace, optGraceFraction, optTimeout, optTimeoutFactor, optLate,
	optLatestOrFresh, optWeights, optStatic, optParticipation, optMomentum, optPulse,
}
