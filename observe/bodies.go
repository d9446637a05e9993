package observe

import "encoding/json"

// RunStart is the first line of every log.
type RunStart struct {
	ConfigHash string `json:"config_hash"`
	Version    string `json:"version"`
	Seed       uint64 `json:"seed"`
	Recipe     string `json:"recipe"`
	Topology   string `json:"topology"`
	Host       string `json:"host,omitempty"`
	Steps      uint64 `json:"steps"` // where it starts; above 0 when resumed
}

// RunEnd is the last line of a log that was closed in order.
type RunEnd struct {
	Reason string `json:"reason"`
	Steps  uint64 `json:"steps"`
	Exit   int    `json:"exit"`
}

// Step is one finished block of local steps.
type Step struct {
	Step    uint64 `json:"step"` // local steps in total, this block included
	Steps   int    `json:"steps"`
	Loss    Number `json:"loss"`
	Compute Number `json:"compute_s"`
}

// Publish is an estimate handed to the live neighbours.
type Publish struct {
	Round uint64 `json:"round"`
	Seq   uint64 `json:"pub"` // number of the publish; "seq" is the number of the line
	Steps int    `json:"steps"`
	Bytes int64  `json:"bytes"` // of one copy
	Whole int64  `json:"-"`     // of one copy without a codec
	Codec string `json:"codec"`
	To    int    `json:"to"`
	Mid   bool   `json:"mid_block,omitempty"`
}

// Used is one neighbour's part in a mix.
type Used struct {
	Peer      string `json:"p"`
	Round     uint64 `json:"round"`
	Seq       uint64 `json:"pub"`
	Age       Number `json:"age_s"`
	Staleness int64  `json:"stale"`
	Weight    Number `json:"w"`
	Fresh     bool   `json:"fresh"`
}

// Mix is one averaging with neighbours.
type Mix struct {
	Round     uint64            `json:"round"`
	Used      []Used            `json:"used"`
	Missing   []string          `json:"missing"`
	Waited    Number            `json:"waited_s"`
	WaitedFor string            `json:"waited_for,omitempty"`
	Took      Number            `json:"mix_s"`
	Distance  Number            `json:"dist"`
	Mid       bool              `json:"mid_block,omitempty"`
	Influence map[string]Number `json:"influence,omitempty"`
}

// Lost is work that entered no average.
type Lost struct {
	Round  uint64 `json:"round"`
	Steps  int    `json:"steps"`
	Reason string `json:"reason"`
}

// Eval is a measurement on held-out samples. Its metrics (eval/loss, eval/accuracy, eval/recall/7) are
// fields of the line itself.
type Eval struct {
	Step    uint64
	On      string // own: the peer's estimate; mean: the average over peers
	Metrics map[string]float64
}

// MarshalJSON puts the metrics beside step and on.
func (e Eval) MarshalJSON() ([]byte, error) {
	fields := map[string]any{"step": e.Step, "on": e.On}
	for name, value := range e.Metrics {
		fields[name] = Number(value)
	}
	return json.Marshal(fields)
}

// Straggler says that a peer became slow, or is no longer.
type Straggler struct {
	Peer  string `json:"p"`
	Ratio Number `json:"ratio"` // its step time over the local median
	On    bool   `json:"-"`
}

// Member is a change of the membership: join, leave (it said goodbye) or evict (it fell silent).
type Member struct {
	Change string `json:"-"`
	Peer   string `json:"p"`
	Reason string `json:"reason,omitempty"`
}

// Link says that the link to a neighbour came up or went down.
type Link struct {
	Up     bool   `json:"up"`
	Peer   string `json:"p"`
	Path   string `json:"path,omitempty"` // direct | relayed
	Reason string `json:"reason,omitempty"`
}

// FrameReject is a message that did not pass the checks of the wire.
type FrameReject struct {
	Peer   string `json:"p"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
}

// Checkpoint is one try to save.
type Checkpoint struct {
	Step    uint64 `json:"step"`
	Bytes   int64  `json:"bytes"`
	Took    Number `json:"took_s"`
	Outcome string `json:"outcome"` // ok | failed
	Error   string `json:"error,omitempty"`
}

// Warn is a condition that somebody should look at. Count is how often it came since its last line.
type Warn struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Count int    `json:"count"`
}

// Perturb is a disturbance that a testnet's schedule made, at its begin or its end.
type Perturb struct {
	End     bool     `json:"-"`
	ID      string   `json:"id"`
	Do      string   `json:"do"`
	Targets []string `json:"targets"`
	Args    string   `json:"args,omitempty"`
	Line    int      `json:"line,omitempty"` // of the manifest
}
