package train

import (
	"fmt"
	"math"

	"github.com/starling-ml/starling/vec"
)

// Schedule changes the learning rate over a trainer's own count of steps, so that a straggler's rate
// falls with what it has done and not with what its neighbours have done. The zero value is constant.
type Schedule struct {
	// Kind is constant (also ""), step, exponential or cosine.
	Kind string `json:"kind,omitempty" yaml:"kind,omitempty"`
	// Warmup is the number of first steps over which the rate rises in a line from near 0.
	Warmup int `json:"warmup,omitempty" yaml:"warmup,omitempty"`
	// Every is the number of steps in which step and exponential multiply the rate by Factor once: step
	// all at once, exponential a little with every step.
	Every  int     `json:"every,omitempty"  yaml:"every,omitempty"`
	Factor float64 `json:"factor,omitempty" yaml:"factor,omitempty"`
	// Steps is when cosine has brought the rate to Floor times the first one, where it stays.
	Steps int     `json:"steps,omitempty" yaml:"steps,omitempty"`
	Floor float64 `json:"floor,omitempty" yaml:"floor,omitempty"`
}

// ScheduleKinds lists the values of Schedule.Kind.
func ScheduleKinds() []string { return []string{"constant", "step", "exponential", "cosine"} }

// Validate checks Warmup >= 0; Every >= 1 and 0 < Factor <= 1 for step and exponential; Steps >= 1 and
// 0 <= Floor <= 1 for cosine.
func (s Schedule) Validate() error {
	if s.Warmup < 0 {
		return fmt.Errorf("schedule warmup %d: must be 0 or more steps", s.Warmup)
	}
	switch s.Kind {
	case "", "constant":
	case "step", "exponential":
		if s.Every < 1 {
			return fmt.Errorf("schedule %s every %d: must be 1 or more steps", s.Kind, s.Every)
		}
		if !(s.Factor > 0 && s.Factor <= 1) {
			return fmt.Errorf("schedule %s factor %g: must be above 0 and at most 1", s.Kind, s.Factor)
		}
	case "cosine":
		if s.Steps < 1 {
			return fmt.Errorf("schedule cosine steps %d: must be 1 or more", s.Steps)
		}
		if !(s.Floor >= 0 && s.Floor <= 1) {
			return fmt.Errorf("schedule cosine floor %g: must be in 0 to 1", s.Floor)
		}
	default:
		return fmt.Errorf("unknown schedule %q: known are %s", s.Kind, list(ScheduleKinds()))
	}
	return nil
}

// Scale returns the factor on the learning rate at a step, counted from 0.
func (s Schedule) Scale(step uint64) float64 {
	scale := 1.0
	switch s.Kind {
	case "step":
		scale = power(s.Factor, float64(step/uint64(s.Every)))
	case "exponential":
		scale = power(s.Factor, float64(step)/float64(s.Every))
	case "cosine":
		done := min(1, float64(step)/float64(s.Steps))
		scale = s.Floor + float64((1-s.Floor)*halfCosine(done))
	}
	if step < uint64(s.Warmup) {
		scale *= float64(step+1) / float64(s.Warmup)
	}
	return scale
}

// power returns x**y for 0 < x <= 1.
func power(x, y float64) float64 { return vec.Exp(y * vec.Log(x)) }

// halfCosine returns (1 + cos(pi t)) / 2 for t in [0, 1], as the square of cos(pi t / 2) by its Taylor
// series: math.Cos may differ in the last bit between machines.
func halfCosine(t float64) float64 {
	u := math.Pi / 2 * t
	square := float64(u * u)
	sum := 1.0
	for k := 22.0; k > 0; k -= 2 { // 1 - u^2/(1*2) * (1 - u^2/(3*4) * (1 - ...))
		sum = 1 - float64(square/(k*(k-1))*sum)
	}
	return float64(sum * sum)
}
