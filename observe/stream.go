package observe

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/starling-ml/starling/consensus"
)

// Sink takes events. Emit never blocks a step.
type Sink interface {
	Emit(at consensus.Time, body Body)
}

// Source names the peer whose events are written, and its clock. Start is the wall time of the run's
// zero; with a virtual clock it is a fixed instant, so that two equal runs write equal bytes.
type Source struct {
	Run     string
	Peer    string
	Name    string
	Start   time.Time
	Virtual bool
}

// appendLine writes one event with its envelope and a newline.
func (s *Source) appendLine(dst []byte, at consensus.Time, seq uint64, body Body) ([]byte, error) {
	fields, err := json.Marshal(body)
	if err != nil {
		return dst, err
	}
	clock := "wall"
	if s.Virtual {
		clock = "virtual"
	}
	dst = append(dst, `{"v":1,"ts":"`...)
	dst = s.Start.Add(time.Duration(at)).UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, `","t":`...)
	dst = strconv.AppendFloat(dst, float64(at)/1e9, 'f', -1, 64)
	dst = appendText(append(dst, `,"clock":`...), clock)
	dst = appendText(append(dst, `,"run":`...), s.Run)
	dst = appendText(append(dst, `,"peer":`...), s.Peer)
	dst = appendText(append(dst, `,"name":`...), s.Name)
	dst = strconv.AppendUint(append(dst, `,"seq":`...), seq, 10)
	dst = appendText(append(dst, `,"ev":`...), body.kind())
	if len(fields) > 2 {
		dst = append(append(dst, ','), fields[1:len(fields)-1]...)
	}
	return append(dst, "}\n"...), nil
}

func appendText(dst []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil { // not of a string
		panic(fmt.Sprintf("observe: %q: %v", text, err))
	}
	return append(dst, quoted...)
}

// Stream writes events to a writer at once, in the caller's goroutine: for simulations and replays.
// The first error stays and ends the writing.
type Stream struct {
	source Source
	level  Level
	out    io.Writer
	seq    uint64
	line   []byte
	err    error
}

// NewStream returns a sink that writes the events of level and below to out.
func NewStream(out io.Writer, source Source, level Level) *Stream {
	return &Stream{source: source, level: level, out: out}
}

// Emit writes the event if its level is kept.
func (s *Stream) Emit(at consensus.Time, body Body) {
	if body.level() > s.level || s.err != nil {
		return
	}
	s.seq++
	if s.line, s.err = s.source.appendLine(s.line[:0], at, s.seq, body); s.err == nil {
		_, s.err = s.out.Write(s.line)
	}
}

// Err returns the first error of the writer.
func (s *Stream) Err() error { return s.err }
