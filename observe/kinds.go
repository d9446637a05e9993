package observe

// Kind of each body, and the level from which it is logged.

func (RunStart) Kind() string    { return "run.start" }
func (RunEnd) Kind() string      { return "run.end" }
func (Window) Kind() string      { return "window" }
func (Step) Kind() string        { return "step" }
func (Publish) Kind() string     { return "publish" }
func (Mix) Kind() string         { return "mix" }
func (Lost) Kind() string        { return "lost" }
func (Eval) Kind() string        { return "eval" }
func (Link) Kind() string        { return "link" }
func (m Member) Kind() string    { return "member." + m.Change }
func (FrameReject) Kind() string { return "frame.reject" }
func (Checkpoint) Kind() string  { return "checkpoint" }
func (Warn) Kind() string        { return "warn" }

// Kind is straggler.enter or straggler.leave.
func (s Straggler) Kind() string {
	if s.On {
		return "straggler.enter"
	}
	return "straggler.leave"
}

// Kind is perturb.begin or perturb.end.
func (p Perturb) Kind() string {
	if p.End {
		return "perturb.end"
	}
	return "perturb.begin"
}

func (RunStart) Level() Level    { return Always }
func (RunEnd) Level() Level      { return Always }
func (Window) Level() Level      { return Windows }
func (Step) Level() Level        { return Steps }
func (Publish) Level() Level     { return Steps }
func (Mix) Level() Level         { return Steps }
func (Lost) Level() Level        { return Steps }
func (Eval) Level() Level        { return Always }
func (Straggler) Level() Level   { return Always }
func (Member) Level() Level      { return Always }
func (Link) Level() Level        { return Always }
func (FrameReject) Level() Level { return Always }
func (Checkpoint) Level() Level  { return Always }
func (Warn) Level() Level        { return Always }
func (Perturb) Level() Level     { return Always }
