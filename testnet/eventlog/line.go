// Package eventlog reads the event logs that agents and testnets write: it finds them in a folder, filters
// their lines, and prints them for people.
package eventlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Version is the version of the format of events that this program writes.
const Version = 1

// Line is one event. The envelope is read; the fields of its kind are in Raw.
type Line struct {
	V       int       `json:"v"`
	Stamp   time.Time `json:"ts"`
	At      float64   `json:"t"` // seconds of the run's clock
	Run     string    `json:"run"`
	Peer    string    `json:"peer"` // who wrote it: its identity
	Name    string    `json:"name"` // and its name
	Seq     uint64    `json:"seq"`
	Kind    string    `json:"ev"`
	Round   *uint64   `json:"round"`   // nil: the kind has none
	Targets []string  `json:"targets"` // of a perturbation
	Raw     []byte    `json:"-"`       // the line as it was written, without its end; valid until the next
}

// longest is the length of a line beyond which a file is no event log.
const longest = 16 << 20

// ErrNoLog tells that a file holds no event at all.
var ErrNoLog = errors.New("not an event log")

// Torn is what was skipped: lines that are no events, as the last line of a peer that was killed.
type Torn struct {
	Count int
	First int // number of the first one; 0: there is none
}

// Scan calls each for every event of a log, in the order of the file. Lines that are no events are skipped
// and counted; when there is no event but such lines, the error is ErrNoLog.
func Scan(r io.Reader, each func(Line) error) (Torn, error) {
	var torn Torn
	events := 0
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 1<<16), longest)
	for number := 1; in.Scan(); number++ {
		raw := bytes.TrimSpace(in.Bytes())
		if len(raw) == 0 {
			continue
		}
		var line Line
		if err := json.Unmarshal(raw, &line); err != nil || line.Kind == "" {
			if torn.Count++; torn.Count == 1 {
				torn.First = number
			}
			continue
		}
		events++
		line.Raw = raw
		if err := each(line); err != nil {
			return torn, err
		}
	}
	if err := in.Err(); err != nil {
		return torn, fmt.Errorf("%w: %w", ErrNoLog, err)
	}
	if events == 0 && torn.Count > 0 {
		return torn, fmt.Errorf("%w: line %d is no event", ErrNoLog, torn.First)
	}
	return torn, nil
}
