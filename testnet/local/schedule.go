package local

import (
	"time"

	"github.com/starling-ml/starling/testnet"
)

// schedule hands out the actions of a plan when they are due.
type schedule struct {
	actions []testnet.Action // still to come
	start   time.Time
	timer   *time.Timer
}

func newSchedule(actions []testnet.Action, start time.Time) *schedule {
	s := &schedule{actions: actions, start: start, timer: time.NewTimer(0)}
	s.set()
	return s
}

// set the timer to the next action; without one it stays silent.
func (s *schedule) set() {
	s.timer.Stop()
	if len(s.actions) > 0 {
		s.timer.Reset(time.Until(s.start.Add(s.actions[0].At)))
	}
}

// due takes the actions whose time has come.
func (s *schedule) due() []testnet.Action {
	count := 0
	for count < len(s.actions) && time.Since(s.start) >= s.actions[count].At {
		count++
	}
	due := s.actions[:count]
	s.actions = s.actions[count:]
	s.set()
	return due
}
