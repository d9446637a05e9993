package local

import (
	"context"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/node"
	"github.com/starling-ml/starling/testnet"
	"github.com/starling-ml/starling/train"
	"github.com/starling-ml/starling/train/task"
)

// referee watches a network: it evaluates the average model now and then, carries out the schedule, and
// adds up what the peers have done. One goroutine calls it.
type referee struct {
	site     *site
	network  network
	task     *task.Task
	journal  *testnet.Journal
	last     []*node.Standing // by vertex, of the peers that run
	past     []node.Standing  // sums over those that were killed or have left
	readings []testnet.Reading

	verdicts chan verdict
	busy     bool      // an evaluation is under way
	rested   time.Time // when the next one may begin
	ended    consensus.Time
}

// verdict is an evaluation of the average model.
type verdict struct {
	at    consensus.Time
	tally *testnet.Tally
	score train.Score
	took  time.Duration
	err   error
}

// share is the part of one processor that evaluations may take: the peers need the machine.
const share = 0.05

func newReferee(s *site, net network) (*referee, error) {
	loaded, err := task.Load(s.plan.Task)
	if err != nil {
		return nil, err
	}
	r := &referee{
		site: s, network: net, task: loaded, verdicts: make(chan verdict, 1),
		last: make([]*node.Standing, len(s.ids)), past: make([]node.Standing, len(s.ids)),
	}
	r.journal, err = testnet.OpenJournal(s.plan, s.start)
	return r, err
}

// now is the run's clock.
func (r *referee) now() consensus.Time { return consensus.Time(max(0, time.Since(r.site.start))) }

// watch lets the network run for its time. The first failure of a peer that nobody killed ends it.
func (r *referee) watch(ctx context.Context) error {
	plan := r.site.plan
	end := time.NewTimer(time.Until(r.site.start.Add(plan.Stop.Time)))
	defer end.Stop()
	look := time.NewTicker(plan.Stop.EvalEvery())
	defer look.Stop()
	schedule := newSchedule(plan.Actions, r.site.start)
	defer schedule.timer.Stop()
	r.look(ctx)
	for !r.over() {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err = <-r.network.failed():
		case a := <-plan.Orders:
			err = r.act(ctx, a)
		case <-schedule.timer.C:
			for _, a := range schedule.due() {
				if err == nil {
					err = r.act(ctx, a)
				}
			}
		case v := <-r.verdicts:
			err = r.take(v)
		case <-look.C:
			r.look(ctx)
		case <-end.C:
			return r.finish(ctx)
		}
		if err != nil {
			return err
		}
	}
	return r.finish(ctx)
}

// over tells whether the fastest peer has done its steps, or the target is met and ends the run.
func (r *referee) over() bool {
	stop := r.site.plan.Stop
	if stop.AtTarget && stop.Reached(r.readings) != nil {
		return true
	}
	limit := stop.Steps
	if limit == 0 {
		return false
	}
	for v := range r.last {
		if r.total(v).Trained >= limit {
			return true
		}
	}
	return false
}

// look asks the peers where they stand and has their average evaluated, unless the last evaluation is
// too recent.
func (r *referee) look(ctx context.Context) {
	if r.busy || time.Now().Before(r.rested) {
		return
	}
	r.ask(ctx)
	estimates := r.estimates()
	if len(estimates) == 0 {
		return // everybody is dead
	}
	r.busy = true
	v := verdict{at: r.ended, tally: r.tally()}
	mean := testnet.Average(estimates)
	go func() {
		began := time.Now()
		v.score, v.err = r.task.Evaluate(mean)
		v.took = time.Since(began)
		r.verdicts <- v
	}()
}

// ask updates where the peers stand.
func (r *referee) ask(ctx context.Context) {
	r.last = r.network.standings(ctx)
	r.ended = r.now()
}

// take notes an evaluation.
func (r *referee) take(v verdict) error {
	r.busy = false
	r.rested = time.Now().Add(time.Duration(float64(v.took) * (1/share - 1)))
	if v.err != nil {
		return v.err
	}
	moment := testnet.MomentOf(v.at, r.task, v.score, v.tally)
	r.readings = append(r.readings, moment.Reading)
	r.journal.Eval(moment)
	if watch := r.site.plan.Watch; watch != nil {
		watch(moment)
	}
	return nil
}

// finish waits for the evaluation under way and makes the last one.
func (r *referee) finish(ctx context.Context) error {
	if r.busy {
		if err := r.take(<-r.verdicts); err != nil {
			return err
		}
	}
	r.rested = time.Time{}
	if r.look(ctx); r.busy {
		return r.take(<-r.verdicts)
	}
	return nil
}

// act carries out an action. What a peer had done until it was killed still counts.
func (r *referee) act(ctx context.Context, a testnet.Action) error {
	v := a.Peer
	r.journal.Perturb(r.now(), a, r.site.ids[v])
	if a.Do == testnet.Kill || a.Do == testnet.Leave {
		r.ask(ctx)
		r.past[v], r.last[v] = r.total(v), nil
	}
	return r.network.act(ctx, a)
}

// total is what a peer has done over all its lives.
func (r *referee) total(vertex int) node.Standing {
	sum := r.past[vertex]
	if s := r.last[vertex]; s != nil {
		sum.Estimate, sum.Influence = s.Estimate, s.Influence
		sum.Trained += s.Trained
		sum.Lost += s.Lost
		sum.Rounds += s.Rounds
		sum.Waited += s.Waited
		sum.Asked += s.Asked
		sum.Late += s.Late
		sum.Sent += s.Sent
	}
	return sum
}

// tally is what has been done until now.
func (r *referee) tally() *testnet.Tally {
	t := testnet.NewTally(len(r.site.ids))
	for v, id := range r.site.ids {
		s := r.total(v)
		t.Add(id, testnet.Sums{
			Steps: s.Trained, Lost: s.Lost, Rounds: s.Rounds, Waited: consensus.Duration(s.Waited), Influence: s.Influence,
		})
	}
	return t
}

// estimates are those of the peers that run, in the order of vertices.
func (r *referee) estimates() [][]float32 {
	var all [][]float32
	for _, s := range r.last {
		if s != nil {
			all = append(all, s.Params)
		}
	}
	return all
}

// result puts together what was measured.
func (r *referee) result() (testnet.Result, error) {
	result := r.site.plan.Result()
	var live []consensus.Peer
	for v, id := range r.site.ids {
		if r.last[v] != nil {
			live = append(live, id)
		}
		total := r.total(v)
		result.SentBytes += total.Sent
		result.Overloaded = result.Overloaded || total.Overloaded()
	}
	r.tally().Fill(&result, consensus.Duration(r.ended), live)
	result.TimeToTarget = r.site.plan.Stop.Reached(r.readings)
	return result, testnet.Judgement{Task: r.task, Estimates: r.estimates()}.Fill(&result)
}
