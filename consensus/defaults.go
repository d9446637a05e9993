package consensus

func defaultQuorum(o *Options) {
	setDefault(&o.Mix, Latest)
	setDefault(&o.Weights, InverseAge)
}

func defaultBackup(o *Options) {
	setDefault(&o.Fraction, 0.75)
	setDefault(&o.Mix, Mutual)
	if o.Mix == Mutual {
		setDefault(&o.Late, Skip)
	} else {
		setDefault(&o.Weights, Constant)
	}
}

func defaultDYBW(o *Options) { setDefault(&o.Late, Skip) }

// defaultPulse fills in the constants of pulse; the given ones are not written.
func defaultPulse(o *Options) {
	var p PulseOptions
	if o.Pulse != nil {
		p = *o.Pulse
	}
	setDefault(&p.MaxPieces, 8)
	o.Pulse = &p
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
