package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/testnet/eventlog"
)

// trace is what the event logs of a run say.
type trace struct {
	folder  string
	curve   []point
	virtual bool
	peers   map[string]*peerTrace // by name
	events  []happening
	notes   []string
	names   map[string]string // of peers by their identities
	ended   bool
}

// point is one evaluation of the average model. What was not measured is NaN.
type point struct{ at, loss, accuracy float64 }

// happening is a disturbance of the schedule.
type happening struct {
	at   float64
	text string
}

// peerTrace is what the log of one peer adds up to.
type peerTrace struct {
	windows   int                // that held a mix
	waited    map[string]float64 // seconds by the peer whose message ended the waiting
	influence map[string]float64 // as of the last window that knew it; nil: none did
	typical   []float64          // stale_p50 of its windows
	high      []float64          // stale_p95
	exact     []float64          // staleness of every estimate in every mix; nil: mixes were not logged
}

// body holds the fields of the kinds of events that a report reads.
type body struct {
	Clock     string                    `json:"clock"`
	Loss      *observe.Number           `json:"eval/loss"`
	Accuracy  *observe.Number           `json:"eval/accuracy"`
	On        string                    `json:"on"`
	Mixes     int                       `json:"mixes"`
	Typical   float64                   `json:"stale_p50"`
	High      float64                   `json:"stale_p95"`
	Influence map[string]observe.Number `json:"influence"`
	WaitedFor map[string]float64        `json:"waited_for_s"`
	Used      []struct {
		Staleness float64 `json:"stale"`
	} `json:"used"`
	Do     string `json:"do"`
	Args   string `json:"args"`
	Reason string `json:"reason"`
}

// readTrace reads the logs in the folder of a run.
func readTrace(folder string, n *testnet.Network) (*trace, error) {
	t := &trace{
		folder: folder, peers: map[string]*peerTrace{}, names: map[string]string{},
		virtual: n.Runtime == string(testnet.VirtualTime),
	}
	logs, err := eventlog.Find(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: its logs were removed; leave it out, or run it again", err)
	}
	for i := range logs {
		whole := filepath.Dir(logs[i].Files[0]) == folder
		file := logs[i].Files[len(logs[i].Files)-1]
		count := 0
		err := logs[i].Read(func(line eventlog.Line) error {
			count++
			return t.take(&line, whole)
		}, func(file string, torn eventlog.Torn) {
			t.note("%s:%d: %d lines left out that are no events: the log was cut off or damaged", file, torn.First, torn.Count)
		})
		if err != nil {
			return nil, damaged(file, err)
		}
		if count == 0 {
			t.note("%s holds no event", file)
		}
	}
	if !t.ended {
		t.note("%s has no last line: the run was cut short, and its curves end where it did",
			filepath.Join(folder, "events.jsonl"))
	}
	t.rename()
	return t, nil
}

func damaged(file string, err error) error {
	if errors.Is(err, errFuture) {
		return fmt.Errorf("%s: %w", file, err)
	}
	if errors.Is(err, eventlog.ErrNoLog) {
		return fmt.Errorf("%w: run it again, or leave it out", err) // it names the file
	}
	return fmt.Errorf("%s: %w: run it again, or leave it out", file, err)
}

func (t *trace) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// errFuture tells that a log is of a version that is not known.
var errFuture = fmt.Errorf("its events are of a later version than %d, which this program reads: use the starling "+
	"that wrote it, or a newer one", eventlog.Version)

// take adds one event. whole: it is of the log of the network, else of a peer's.
func (t *trace) take(line *eventlog.Line, whole bool) error {
	if line.V > eventlog.Version {
		return errFuture
	}
	var b body
	switch line.Kind {
	case "eval", "perturb.begin", "window", "mix", "run.end", "run.start":
		if err := json.Unmarshal(line.Raw, &b); err != nil {
			return fmt.Errorf("event %d, %s, is damaged (%w)", line.Seq, line.Kind, err)
		}
	default:
		return nil
	}
	if whole {
		t.takeWhole(line, &b)
	} else {
		t.takePeer(line, &b)
	}
	return nil
}

func (t *trace) takeWhole(line *eventlog.Line, b *body) {
	switch {
	case line.Kind == "run.start":
		t.virtual = b.Clock == "virtual"
	case line.Kind == "eval" && b.On == "mean":
		t.curve = append(t.curve, point{line.At, number(b.Loss), number(b.Accuracy)})
	case line.Kind == "perturb.begin":
		text := b.Do
		for _, target := range line.Targets {
			text += " " + target
		}
		if b.Args != "" {
			text += " " + b.Args
		}
		t.events = append(t.events, happening{line.At, text})
	case line.Kind == "run.end":
		t.ended = true
		if b.Reason != "done" {
			t.note("%s: the run ended early: %s", t.folder, b.Reason)
		}
	}
}

func (t *trace) takePeer(line *eventlog.Line, b *body) {
	t.names[line.Peer] = line.Name
	p := t.peers[line.Name]
	if p == nil {
		p = &peerTrace{waited: map[string]float64{}}
		t.peers[line.Name] = p
	}
	switch {
	case line.Kind == "mix":
		for _, used := range b.Used {
			p.exact = append(p.exact, used.Staleness)
		}
	case line.Kind == "window" && b.Mixes > 0:
		p.windows++
		p.typical, p.high = append(p.typical, b.Typical), append(p.high, b.High)
		if len(b.Influence) > 0 {
			p.influence = map[string]float64{}
			for who, share := range b.Influence {
				p.influence[who] = float64(share)
			}
		}
		for who, seconds := range b.WaitedFor {
			p.waited[who] += seconds
		}
	}
}

// rename calls the peers by their names where a log has identities.
func (t *trace) rename() {
	for _, p := range t.peers {
		p.waited, p.influence = t.renamed(p.waited), t.renamed(p.influence)
	}
}

func (t *trace) renamed(by map[string]float64) map[string]float64 {
	if by == nil {
		return nil
	}
	named := map[string]float64{}
	for who, value := range by {
		if name := t.names[who]; name != "" {
			who = name
		}
		named[who] = value
	}
	return named
}

func number(n *observe.Number) float64 {
	if n == nil {
		return math.NaN()
	}
	return float64(*n)
}
