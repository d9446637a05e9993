package consensus

// Canonical lines of events, effects and messages.
func (Wake) String() string        { return "wake" }
func (Rewired) String() string     { return "rewired" }
func (Joined) String() string      { return "joined" }
func (Left) String() string        { return "left" }
func (Received) String() string    { return "received" }
func (Trained) String() string     { return "trained" }
func (Sent) String() string        { return "sent" }
func (SendFailed) String() string  { return "send-failed" }
func (Train) String() string       { return "train" }
func (CancelTrain) String() string { return "cancel-train" }
func (Send) String() string        { return "send" }
func (Save) String() string        { return "save" }
func (Published) String() string   { return "published" }
func (Mixed) String() string       { return "mixed" }
func (Lost) String() string        { return "lost" }
func (Straggling) String() string  { return "straggling" }
func (Ignored) String() string     { return "ignored" }
func (Estimate) String() string    { return "estimate" }
func (Established) String() string { return "established" }
func (Intent) String() string      { return "intent" }
func (Degree) String() string      { return "degree" }
func (Done) String() string        { return "done" }
func (MixTook) String() string     { return "mix-took" }
