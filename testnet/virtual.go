package testnet

import (
	"context"
	"slices"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/internal/seed"
	"github.com/starling-ml/starling/internal/settings"
	"github.com/starling-ml/starling/testnet/sim"
	"github.com/starling-ml/starling/train/data"
	"github.com/starling-ml/starling/train/pace"
	"github.com/starling-ml/starling/train/task"
	"github.com/starling-ml/starling/wire"
)

// Virtual is the runtime with a simulated clock: the same plan gives the same bits every time.
type Virtual struct{}

const (
	// virtualSilence is after what silence a peer counts as dead, as it is with real links.
	virtualSilence = 5 * consensus.Second
	// virtualSaves is the time between two checkpoints of a peer.
	virtualSaves = consensus.Second
)

// Run implements Runtime.
func (Virtual) Run(ctx context.Context, plan *Plan) (result Result, err error) {
	r, err := newVirtualRun(plan)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		if closed := r.record.close(r.network.Now(), err); err == nil {
			err = closed
		}
	}()
	r.cancelled = ctx.Err
	if err := r.loop(); err != nil {
		return Result{}, err
	}
	return r.result()
}

// virtualRun is a run under way.
type virtualRun struct {
	plan     *Plan
	task     *task.Task
	network  *sim.Network
	tally    *Tally
	record   *record
	readings []Reading
	reached  *float64 // when the target was met
	failed   error    // the first error of an action
	// cancelled is asked at every event: between two evaluations there may be minutes.
	cancelled func() error
}

func newVirtualRun(plan *Plan) (*virtualRun, error) {
	loaded, err := task.Load(plan.Task)
	if err != nil {
		return nil, err
	}
	r := &virtualRun{plan: plan, task: loaded, tally: NewTally(len(plan.Members))}
	config := sim.Config{
		Graph: plan.Graph, Params: loaded.Initial(plan.Seed), Options: plan.Options, Seed: plan.Seed,
		FrameBytes: wire.Format{Params: loaded.Size()}.EstimateSize(),
		MixCost:    plan.MixCost, Silence: virtualSilence, SaveEvery: virtualSaves, Observe: r.observe,
	}
	if config.Peers, err = r.peers(); err != nil {
		return nil, err
	}
	if r.network, err = sim.New(config); err != nil {
		return nil, err
	}
	if r.record, err = newRecord(plan, config.FrameBytes); err != nil {
		return nil, err
	}
	for _, a := range plan.Actions {
		r.network.At(consensus.Time(a.At), func() { r.act(a) })
	}
	return r, nil
}

// peers gives every member its shard, its trainer and its clock.
func (r *virtualRun) peers() ([]sim.Peer, error) {
	parts := make([]data.Partition, len(r.plan.Members))
	for i, m := range r.plan.Members {
		parts[i] = m.Data
	}
	shards, err := r.shards(parts)
	if err != nil {
		return nil, err
	}
	slow, late := r.plan.Slow(), r.plan.Late()
	peers := make([]sim.Peer, len(shards))
	for i, m := range r.plan.Members {
		trainer, err := r.task.Trainer(shards[i], r.plan.Seed, m.Name)
		if err != nil {
			return nil, err
		}
		clock, err := pace.NewClock(m.Compute, seed.Stream(r.plan.Seed, "pace", m.Name))
		if err != nil {
			return nil, err
		}
		peers[i] = sim.Peer{
			Name: consensus.Peer(m.Name), Slow: slow[i], Late: late[i], Trainer: trainer,
			Pace: func() consensus.Duration { return consensus.Duration(clock.Next()) },
			Step: consensus.Duration(m.Step()),
			Link: linkOf(m.Link),
		}
	}
	return peers, nil
}

// shards deals the data; under share: speed every peer has all of it.
func (r *virtualRun) shards(parts []data.Partition) ([]data.Shard, error) {
	if r.plan.Options.Share == "" {
		return r.task.Split(parts, r.plan.Seed)
	}
	pool, err := r.task.Pool(r.plan.Seed)
	return slices.Repeat([]data.Shard{pool}, len(parts)), err
}

func linkOf(l settings.Link) sim.Link {
	return sim.Link{
		Rate: 8 * float64(l.Up), Latency: l.Latency.Core(), Jitter: l.Jitter.Core(), Loss: float64(l.Loss),
	}
}

func (r *virtualRun) observe(
	at consensus.Time, self consensus.Peer, ev consensus.Event, effects []consensus.Effect,
) {
	r.tally.Observe(at, self, ev, effects)
	r.record.observe(at, self, ev, effects)
	most := r.plan.Stop.Steps
	if most > 0 && r.tally.MostSteps() >= most || r.cancelled() != nil {
		r.network.Stop()
	}
}

// act carries out one line of the schedule.
func (r *virtualRun) act(a Action) {
	name := consensus.Peer(r.plan.Members[a.Peer].Name)
	r.record.whole.Perturb(r.network.Now(), a, name)
	switch a.Do {
	case Slow:
		r.network.Slow(name, a.Factor)
	case Pause:
		r.network.Pause(name)
	case Resume:
		r.network.Resume(name)
	case Kill:
		r.network.Kill(name)
	case Leave:
		r.network.Leave(name)
	case Partition:
		r.network.Side(name, a.Side)
	case Relink:
		r.network.SetLink(name, linkOf(*a.Link))
	case Restart, Join:
		if err := r.network.Restart(name, a.Fresh || a.Do == Join); err != nil && r.failed == nil {
			r.failed = err
		}
	}
}

// loop runs the network and evaluates the average model at fixed times.
func (r *virtualRun) loop() error {
	stop := r.plan.Stop
	if err := r.read(); err != nil {
		return err
	}
	for at := time.Duration(0); at < stop.Time; {
		at = min(at+stop.EvalEvery(), stop.Time)
		r.network.Run(consensus.Time(at))
		if r.watched() {
			if err := r.read(); err != nil {
				return err
			}
		}
		switch {
		case r.cancelled() != nil:
			return r.cancelled()
		case r.failed != nil:
			return r.failed
		case stop.AtTarget && r.reached != nil:
			return nil
		case r.network.Now() < consensus.Time(at): // it stopped at its number of steps
			return nil
		}
	}
	return nil
}

// watched tells whether anybody needs another evaluation: it takes as long as many steps.
func (r *virtualRun) watched() bool {
	return r.reached == nil || r.plan.Dir != "" || r.plan.Watch != nil
}

// read evaluates the average of all estimates now.
func (r *virtualRun) read() error {
	estimates := r.estimates()
	if len(estimates) == 0 {
		return nil // everybody is dead
	}
	score, err := r.task.Evaluate(Average(estimates))
	if err != nil {
		return err
	}
	moment := MomentOf(r.network.Now(), r.task, score, r.tally)
	r.readings = append(r.readings, moment.Reading)
	if r.reached == nil {
		r.reached = r.plan.Stop.Reached(r.readings)
	}
	r.record.whole.Eval(moment)
	if r.plan.Watch != nil {
		r.plan.Watch(moment)
	}
	return nil
}

// estimates returns the estimates of the peers that run, in the order of vertices.
func (r *virtualRun) estimates() [][]float32 {
	var all [][]float32
	for _, m := range r.network.Live() {
		all = append(all, m.Params())
	}
	return all
}

func (r *virtualRun) result() (Result, error) {
	result := r.plan.Result()
	r.tally.Fill(&result, consensus.Duration(r.network.Now()), r.network.Running())
	result.SentBytes = r.network.SentBytes()
	result.TimeToTarget = r.reached
	return result, Judgement{Task: r.task, Estimates: r.estimates()}.Fill(&result)
}
