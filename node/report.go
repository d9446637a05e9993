package node

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/gossip"
	"github.com/starling-ml/starling/observe"
	"github.com/starling-ml/starling/wire"
)

// reportEvery is the time between two lines of progress.
const reportEvery = 5 * time.Second

// report sums up what happened since the last line of progress. The loop alone touches it.
type report struct {
	last     time.Time
	trained  time.Duration // in local steps, the pace included
	steps    int
	loss     float64 // sum over steps
	waited   consensus.Duration
	mixed    consensus.Duration
	waiting  map[consensus.Peer]consensus.Duration // for whom
	newest   consensus.Mixed                       // copied
	lonely   time.Time                             // since when nothing was mixed; zero: it was
	rejected map[string]time.Time                  // when a refusal was told last
	unheard  bool                                  // the lack of contacts was told
}

func (r *report) block(done result) {
	r.trained += done.took()
	r.steps += done.Steps
	r.loss += float64(done.Loss) * float64(done.Steps)
}

func (r *report) effect(e consensus.Effect, took consensus.Duration) {
	mix, ok := e.(consensus.Mixed)
	if !ok {
		return
	}
	r.mixed += took
	r.waited += mix.Waited
	if mix.WaitedFor != "" {
		if r.waiting == nil {
			r.waiting = map[consensus.Peer]consensus.Duration{}
		}
		r.waiting[mix.WaitedFor] += mix.Waited
	}
	mix.Used, mix.Missing = slices.Clone(mix.Used), slices.Clone(mix.Missing) // the core reuses them
	r.newest = mix
}

// tick says a line of progress when it is time.
func (r *report) tick(l *loop) {
	r.isolation(l)
	r.contacts(l)
	passed := time.Since(r.last)
	if passed < reportEvery || r.steps == 0 {
		return
	}
	l.options.Say("step %-6d loss %.4f  %s   mixed with %d of %d%s%s",
		l.machine.Steps(), r.loss/float64(r.steps), r.pace(passed),
		len(r.newest.Used), len(r.newest.Used)+len(r.newest.Missing), oldest(r.newest), r.slowest(l))
	*r = report{last: r.last.Add(passed), lonely: r.lonely, rejected: r.rejected, unheard: r.unheard, newest: r.newest}
}

// pace says how long a step took and what went into it, in microseconds when steps are that short.
func (r *report) pace(passed time.Duration) string {
	unit, digits := time.Millisecond, 1
	if passed < time.Duration(r.steps)*time.Millisecond {
		unit, digits = time.Microsecond, 0
	}
	perStep := func(d time.Duration) string {
		return strconv.FormatFloat(float64(d)/float64(unit)/float64(r.steps), 'f', digits, 64)
	}
	return fmt.Sprintf("%s %s (compute %s, mix %s, wait %s)", perStep(passed), unit.String()[1:], perStep(r.trained),
		perStep(time.Duration(r.mixed)), perStep(time.Duration(r.waited)))
}

// oldest tells the age of the oldest estimate of a mix. Rounds would not do: peers that do not wait for
// each other count their own.
func oldest(m consensus.Mixed) string {
	if len(m.Used) == 0 {
		return ""
	}
	var worst consensus.Duration
	for _, s := range m.Used {
		worst = max(worst, s.Age)
	}
	return fmt.Sprintf(", oldest %s", time.Duration(worst).Round(time.Millisecond))
}

// slowest names whom this peer waited for most, when it matters.
func (r *report) slowest(l *loop) string {
	var who consensus.Peer
	for peer, d := range r.waiting {
		if d > r.waiting[who] || d == r.waiting[who] && peer < who {
			who = peer
		}
	}
	if who == "" || 10*r.waiting[who] < r.waited {
		return ""
	}
	return fmt.Sprintf(", waited most for %s", l.members.name(who))
}

// aloneAfter is how long a peer with neighbours may go without mixing before it says so.
const aloneAfter = 30 * time.Second

// isolation tells when nobody was mixed for a while, and when that is over.
func (r *report) isolation(l *loop) {
	together := len(l.mesh.Stats().Neighbours) > 0 || len(l.members.list) < 2
	switch {
	case together && !r.lonely.IsZero():
		if gone := time.Since(r.lonely); gone >= aloneAfter {
			l.options.Say("neighbours joined again after %s", gone.Round(time.Second))
		}
		r.lonely = time.Time{}
	case !together && r.lonely.IsZero():
		r.lonely = time.Now()
	case !together && time.Since(r.lonely) >= aloneAfter:
		text := fmt.Sprintf("no neighbour for %s; training alone", time.Since(r.lonely).Round(time.Second))
		if l.meter.Warn(l.now(), "W103", text) {
			l.options.Say("%s", text)
		}
	}
}

// contacts says once why nobody could be reached, with one line for every address.
func (r *report) contacts(l *loop) {
	contacts := l.mesh.Contacts()
	if r.unheard || len(contacts) == 0 || time.Since(l.zero) < reportEvery || len(l.reached) > 0 {
		return
	}
	lines := []string{}
	answered := 0
	for _, c := range contacts {
		if c.State == gossip.ContactOK {
			answered++
		}
		lines = append(lines, fmt.Sprintf("  %s: %s %s", c.Addr, c.State, c.Detail))
	}
	if answered > 0 {
		return
	}
	r.unheard = true
	addresses := "addresses"
	if len(contacts) == 1 {
		addresses = "address"
	}
	l.options.Say("no peer reached yet (%d %s, 0 answered); trying on\n%s",
		len(contacts), addresses, strings.Join(lines, "\n"))
}

// maxRefusals is how many kinds of refusals are told in a minute: their texts come from others.
const maxRefusals = 20

// reject tells about refused packets and handshakes, each kind once a minute.
func (r *report) reject(name string, e gossip.Rejected) {
	if r.rejected == nil {
		r.rejected = map[string]time.Time{}
	}
	text := fmt.Sprintf("%s: %s: %s", name, e.Reason, e.Detail)
	if _, told := r.rejected[text]; !told && len(r.rejected) < maxRefusals {
		r.rejected[text] = time.Time{}
	}
}

// refusals says what was refused and not told during the last minute.
func (l *loop) refusals() {
	for text, told := range l.report.rejected {
		switch {
		case told.IsZero():
			l.options.Say("refused    %s", text)
			l.report.rejected[text] = time.Now()
		case time.Since(told) > time.Minute:
			delete(l.report.rejected, text)
		}
	}
}

func (r *report) score(l *loop, s score) {
	if l.task.Classes() == nil {
		l.options.Say("eval       step %d  loss %.4f  rmse %.4g", s.Steps, s.Loss, s.RMSE)
		return
	}
	l.options.Say("eval       step %d  accuracy %.3f  loss %.4f", s.Steps, s.Accuracy, s.Loss)
}

func (l *loop) sayStart() {
	c := l.config
	l.options.Say("run        %s   peer %s   name %s", c.Run, l.ID(), c.Name)
	for _, address := range l.Addrs() {
		l.options.Say("listening  %s", address)
	}
	l.options.Say("task       %s, %s, %d parameters (model id %s)",
		l.task.Spec.Dataset, l.task.Spec.Model, l.task.Size(), l.signature().Hash().Short())
	l.options.Say("recipe     %s   topology %s", c.Train.Recipe, c.Topology.Graph)
	if l.server != nil {
		l.options.Say("metrics    http://%s/metrics", l.HTTP())
	}
	if len(l.members.list) == 1 {
		l.options.Say("step %-6d alone; training without averaging until a neighbour joins", l.machine.Steps())
	}
}

func (l *loop) sayEnd(r Result) {
	if l.failed != nil {
		l.options.Say("%v; this peer stopped publishing so that it does not spread", l.failed)
		if step := l.meter.State(l.now()).CheckpointStep; step > 0 {
			l.options.Say("resume from checkpoint step %d: starling up, perhaps with a lower train.lr", step)
		}
		return
	}
	score := ""
	switch {
	case r.Score == nil:
	case l.task.Classes() != nil:
		score = fmt.Sprintf("   accuracy %.3f", r.Score.Accuracy)
	default:
		score = fmt.Sprintf("   rmse %.4g", r.Score.RMSE)
	}
	l.options.Say("done       %s at step %d%s", r.Reason, r.Steps, score)
}

// announce tells all members how this peer is doing.
func (l *loop) announce() {
	s := l.meter.State(l.now())
	summary := wire.Summary{
		State: wire.Training, Epoch: l.members.epoch(), Round: l.machine.Round(), Steps: l.machine.Steps(),
		StepTime: consensus.Duration(float64(s.StepTime) * 1e9), Loss: finite(s.Loss), Accuracy: -1,
		Waiting: finite(s.Waiting), Distance: finite(s.Distance),
	}
	if accuracy, ok := s.Eval["eval/accuracy"]; ok {
		summary.Accuracy = finite(accuracy)
	}
	l.mesh.Announce(summary)
}

// finite is a number of the state for the wire, which has no NaN.
func finite(n observe.Number) float32 {
	if f := float64(n); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return float32(f)
	}
	return 0
}
