package train_test

import (
	"math"
	"testing"

	"github.com/starling-ml/starling/train"
)

func TestScheduleScales(t *testing.T) {
	t.Parallel()
	cosine := train.Schedule{Kind: "cosine", Steps: 100, Floor: 0.1}
	for _, c := range []struct {
		name     string
		schedule train.Schedule
		step     uint64
		want     float64
	}{
		{"zero", train.Schedule{}, 1e9, 1},
		{"constant", train.Schedule{Kind: "constant"}, 7, 1},
		{"step before", train.Schedule{Kind: "step", Every: 10, Factor: 0.5}, 9, 1},
		{"step at", train.Schedule{Kind: "step", Every: 10, Factor: 0.5}, 10, 0.5},
		{"step later", train.Schedule{Kind: "step", Every: 10, Factor: 0.5}, 39, 0.125},
		{"exponential", train.Schedule{Kind: "exponential", Every: 10, Factor: 0.5}, 15, math.Pow(0.5, 1.5)},
		{"cosine start", cosine, 0, 1},
		{"cosine quarter", cosine, 25, 0.1 + 0.9*(1+math.Cos(math.Pi/4))/2},
		{"cosine most", cosine, 99, 0.1 + 0.9*(1+math.Cos(math.Pi*0.99))/2},
		{"cosine end", cosine, 100, 0.1},
		{"cosine after", cosine, 5000, 0.1},
		{"warm-up start", train.Schedule{Warmup: 4}, 0, 0.25},
		{"warm-up end", train.Schedule{Warmup: 4}, 3, 1},
		{"warm-up of steps", train.Schedule{Kind: "step", Every: 2, Factor: 0.5, Warmup: 4}, 2, 0.375},
	} {
		if got := c.schedule.Scale(c.step); math.Abs(got-c.want) > 1e-14 {
			t.Errorf("%s: %v at step %d, want %v", c.name, got, c.step, c.want)
		}
	}
}

func TestSchedulesOfTheListAreKnown(t *testing.T) {
	t.Parallel()
	for _, kind := range train.ScheduleKinds() {
		s := train.Schedule{Kind: kind, Every: 1, Factor: 1, Steps: 1}
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
	}
}
