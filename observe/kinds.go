package observe

// Kind of each body, and the level from which it is logged.

func (RunStart) kind() string    { return "run.start" }
func (RunEnd) kind() string      { return "run.end" }
func (Window) kind() string      { return "window" }
func (Step) kind() string        { return "step" }
func (Publish) kind() string     { return "publish" }
func (Mix) kind() string         { return "mix" }
func (Lost) kind() string        { return "lost" }
func (Eval) kind() string        { return "eval" }
func (Link) kind() string        { return "link" }
func (m Member) kind() string    { return "member." + m.Change }
func (FrameReject) kind() string { return "frame.reject" }
func (Checkpoint) kind() string  { return "checkpoint" }
func (Warn) kind() string        { return "warn" }

// kind is straggler.enter or straggler.leave.
func (s Straggler) kind() string {
	if s.On {
		return "straggler.enter"
	}
	return "straggler.leave"
}

// kind is perturb.begin or perturb.end.
func (p Perturb) kind() string {
	if p.End {
		return "perturb.end"
	}
	return "perturb.begin"
}

func (RunStart) level() Level    { return Always }
func (RunEnd) level() Level      { return Always }
func (Window) level() Level      { return Windows }
func (Step) level() Level        { return Steps }
func (Publish) level() Level     { return Steps }
func (Mix) level() Level         { return Steps }
func (Lost) level() Level        { return Steps }
func (Eval) level() Level        { return Always }
func (Straggler) level() Level   { return Always }
func (Member) level() Level      { return Always }
func (Link) level() Level        { return Always }
func (FrameReject) level() Level { return Always }
func (Checkpoint) level() Level  { return Always }
func (Warn) level() Level        { return Always }
func (Perturb) level() Level     { return Always }
