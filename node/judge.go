package node

import (
	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/task"
)

// judge evaluates estimates beside the loop, one at a time.
type judge struct {
	task   *task.Task
	jobs   chan Estimate // at most one waits
	scores chan score
	busy   bool // of the loop
}

// score answers a job.
type score struct {
	Estimate
	train.Score
	err error
}

func newJudge(t *task.Task) *judge {
	return &judge{task: t, jobs: make(chan Estimate, 1), scores: make(chan score, 1)}
}

func (j *judge) run() {
	defer close(j.scores)
	for e := range j.jobs {
		s, err := j.task.Evaluate(e.Params)
		j.scores <- score{Estimate: e, Score: s, err: err}
	}
}

// try asks for an evaluation unless one is under way.
func (j *judge) try(e Estimate) {
	if !j.busy {
		j.busy = true
		j.jobs <- e
	}
}
