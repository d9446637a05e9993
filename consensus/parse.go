package consensus

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/starling-ml/starling/topology"
)

// ParseEvent reads the canonical line of an event. Fields may come in any order; absent ones are zero.
// Vectors longer than a few numbers print as fingerprints and cannot be read back.
func ParseEvent(text string) (Event, error) {
	f, err := parseFields(text)
	if err != nil {
		return nil, fmt.Errorf("event %q: %w", text, err)
	}
	ev := f.event()
	if ev == nil && f.err == nil {
		f.fail("%q is not an event", f.words[0])
	}
	if f.err == nil {
		for _, key := range slices.Sorted(maps.Keys(f.values)) {
			f.fail("%s has no field %q", f.words[0], key)
		}
	}
	if f.err != nil {
		return nil, fmt.Errorf("event %q: %w", text, f.err)
	}
	return ev, nil
}

// fields are the words and the key=value pairs of a line. The first error sticks.
type fields struct {
	words  []string
	values map[string]string // a field is taken out when it is read
	err    error
}

func parseFields(text string) (*fields, error) {
	f := &fields{values: map[string]string{}}
	for _, word := range strings.Fields(text) {
		key, value, pair := strings.Cut(word, "=")
		if !pair {
			f.words = append(f.words, word)
			continue
		}
		if _, twice := f.values[key]; twice {
			return nil, fmt.Errorf("field %q is given twice", key)
		}
		f.values[key] = value
	}
	if len(f.words) == 0 {
		return nil, fmt.Errorf("no event word: start with wake, trained, received or another event")
	}
	return f, nil
}

func (f *fields) event() Event {
	switch f.words[0] {
	case "wake":
		return Wake{}
	case "rewired":
		return f.rewired()
	case "joined":
		return Joined{Peer: f.peer("peer")}
	case "left":
		return Left{Peer: f.peer("peer")}
	case "received":
		return f.received()
	case "trained":
		return Trained{
			Block: f.uint("block"), Params: f.vector("params"), Steps: int(f.int("steps")), Loss: f.float32("loss"),
		}
	case "sent":
		return Sent{To: f.peer("to"), Seq: f.uint("seq")}
	case "send-failed":
		return SendFailed{To: f.peer("to"), Seq: f.uint("seq")}
	case "mix-took":
		return MixTook{Duration: Duration(f.int("duration"))}
	}
	return nil
}

func (f *fields) rewired() Event {
	r := Rewired{Epoch: f.uint("epoch"), Members: f.peers("members"), Slow: f.peers("slow")}
	r.Graph = topology.New(len(r.Members))
	for _, pair := range f.list("edges") {
		left, right, _ := strings.Cut(pair, "-")
		u, err := strconv.Atoi(left)
		v, err2 := strconv.Atoi(right)
		if err != nil || err2 != nil {
			f.fail("edge %q is not two vertices like 0-1", pair)
			return r
		}
		if err := r.Graph.Add(u, v, 1); err != nil {
			f.fail("%w", err)
			return r
		}
	}
	return r
}

func (f *fields) received() Event {
	r := Received{From: f.peer("from")}
	if len(f.words) < 2 {
		f.fail("received without a message")
		return r
	}
	r.Message = f.message(f.words[1])
	return r
}

func (f *fields) message(word string) Message {
	epoch, round := f.uint("epoch"), f.uint("round")
	switch word {
	case "estimate":
		return Estimate{
			Epoch: epoch, Round: round, Seq: f.uint("seq"), Steps: f.uint("steps"),
			StepTime: Duration(f.int("step-time")), Degree: int(f.int("degree")),
			Loss: f.float32("loss"), Work: int(f.int("work")), Params: f.vector("params"),
			Base: f.uint("base"), Answer: f.uint("answer"), Weight: f.float64("weight"),
			Extra: f.vector("extra"), Frame: f.bytes("frame"),
		}
	case "established":
		return Established{Epoch: epoch, Cycle: f.uint("cycle"), Round: round, U: f.peer("u"), V: f.peer("v")}
	case "intent":
		return Intent{Epoch: epoch, Round: round, Include: f.flag("include")}
	case "degree":
		return Degree{Epoch: epoch, Round: round, Active: int(f.int("active"))}
	case "done":
		return Done{Epoch: epoch, Round: round, Peer: f.peer("peer"), Gone: f.flag("gone")}
	case "speed":
		return Speed{
			Epoch: epoch, Peer: f.peer("peer"), Version: f.uint("version"), StepTime: Duration(f.int("step-time")),
		}
	}
	f.fail("%q is not a message", word)
	return nil
}
