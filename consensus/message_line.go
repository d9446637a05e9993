package consensus

// String returns the canonical line.
func (e Estimate) String() string {
	return newLine("estimate").uint("epoch", e.Epoch).uint("round", e.Round).uint("seq", e.Seq).
		uint("steps", e.Steps).int("step-time", int64(e.StepTime)).int("degree", int64(e.Degree)).
		float32("loss", e.Loss).int("work", int64(e.Work)).vector("params", e.Params).
		uint("base", e.Base).uint("answer", e.Answer).float64("weight", e.Weight).
		vectorOrNone("extra", e.Extra).bytes("frame", e.Frame).String()
}

// String returns the canonical line.
func (e Established) String() string {
	return newLine("established").uint("epoch", e.Epoch).uint("cycle", e.Cycle).uint("round", e.Round).
		peer("u", e.U).peer("v", e.V).String()
}

// String returns the canonical line.
func (i Intent) String() string {
	return newLine("intent").uint("epoch", i.Epoch).uint("round", i.Round).flag("include", i.Include).String()
}

// String returns the canonical line.
func (d Degree) String() string {
	return newLine("degree").uint("epoch", d.Epoch).uint("round", d.Round).
		int("active", int64(d.Active)).String()
}

// String returns the canonical line.
func (d Done) String() string {
	return newLine("done").uint("epoch", d.Epoch).uint("round", d.Round).peer("peer", d.Peer).
		flag("gone", d.Gone).String()
}

// String returns the canonical line.
func (s Speed) String() string {
	return newLine("speed").uint("epoch", s.Epoch).peer("peer", s.Peer).uint("version", s.Version).
		int("step-time", int64(s.StepTime)).String()
}
