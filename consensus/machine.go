// Package consensus is the core: what one peer decides, as a function of state, time and event.
//
// A peer loops: train a block, publish the estimate, wait until its wait policy says so, mix with its
// mix set. Machine is that loop. The sockets are small interfaces (wait, mixSet, rule) that a recipe
// fills in; see recipe.go. Nothing here blocks, reads a clock or touches a file.
package consensus

import "fmt"

// Machine is one peer. It is not safe for concurrent use.
//
// Invariant: a vector that was put in an effect or handed to Step is never written again, so Train,
// Send and replicas share estimates without copies.
type Machine struct {
	config  Config
	options Options // complete

	wait wait   // when to mix
	mix  mixSet // whom to mix with
	rule rule   // what a recipe does besides
	mid  clock  // what it does in the middle of a block; nil: nothing
	link link   // how estimates are written for one neighbour; nil: whole

	now     Time
	effects []Effect

	view  view // member list, graph and neighbours
	pace  pace // measured times
	block block
	phase phase

	x      []float32
	round  uint64
	seq    uint64
	steps  uint64 // local steps behind x
	loss   float32
	last   Estimate // last published; Seq 0: none
	waited Time     // since when this peer waits
	mixed  mixture  // the mix being made; its slices are reused
	shares shares   // influence
	slow   bool     // this peer counts as a straggler
	saved  Time     // when the last Save was

	newborn  bool  // made by New
	restored *Time // the time of the saved state, until the first Step
	join     bool  // the average of the neighbours has yet to be taken
	held     held  // messages of a member list that is not ours yet

	flight    flight     // the last publish on its way out
	replace   bool       // a newer estimate replaces one still queued
	skipBusy  bool       // no publish while the uplink is busy
	cause     Peer       // whose message this Step took; empty for other events
	momentum  *momentum  // nil: none
	timetable *timetable // nil: every neighbour is a mate in every round
	shield    *shield    // nil: the plain average
	division  *division  // of pooled work; nil: everybody has data of its own
}

// phase says what the peer is doing.
type phase int

const (
	idle     phase = iota // not started
	training              // a block is in flight
	waiting               // published, not mixed
)

// New returns a machine that starts at the first Wake.
func New(c Config) (*Machine, error) {
	m, err := build(c)
	if err != nil {
		return nil, err
	}
	m.join, m.newborn = c.Join, true
	if !c.Join {
		m.view.firstReplicas(c.Params)
	}
	return m, nil
}

// build makes a machine of the recipe that knows nothing yet.
func build(c Config) (*Machine, error) {
	composition, err := Compose(c.Options, nil) // what is worth knowing about the graph has been told
	if err != nil {
		return nil, err
	}
	return assemble(c, composition.Options)
}

// assemble makes a machine of a complete set of options, whether it is known to work or not.
func assemble(c Config, o Options) (*Machine, error) {
	if c.Roster == nil {
		c.Roster = NewRoster(c.Members, c.Slow)
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	m := &Machine{config: c, options: o, x: c.Params}
	m.pace.init(m.options)
	if beta := m.options.Momentum; beta > 0 {
		m.momentum = &momentum{beta: float32(beta)}
	}
	m.view.rewire(c.Self, Rewired{Epoch: c.Epoch, Members: c.Members, Graph: c.Graph, Roster: c.Roster})
	for _, name := range c.Connected {
		m.view.link(name)
	}
	lookup(m.options.Recipe).build(m)
	m.switches()
	return m, nil
}

// Step tells the machine that ev happened at now and returns what the driver must do, in order. It
// never blocks and never fails: an input that changes nothing yields Ignored with a reason, a broken
// invariant panics. now must not decrease. The slice is valid until the next Step.
func (m *Machine) Step(now Time, ev Event) []Effect {
	if now < m.now {
		panic(fmt.Sprintf("consensus: time went back from %d to %d", m.now, now))
	}
	m.now = now
	if m.restored != nil {
		m.rebase()
	}
	m.effects = m.effects[:0]
	m.cause = ""
	m.dispatch(ev)
	m.settle()
	if _, ok := ev.(Wake); ok && len(m.effects) == 0 {
		m.ignore("", ReasonNothingDue)
	}
	return m.effects
}

func (m *Machine) dispatch(ev Event) {
	switch ev := ev.(type) {
	case Wake:
		m.awake()
	case Rewired:
		m.rewired(ev)
	case Joined:
		m.joined(ev.Peer)
	case Left:
		m.left(ev.Peer)
	case Received:
		m.received(ev.From, ev.Message)
	case Trained:
		m.trained(ev)
	case Sent:
		m.sent(ev.To, ev.Seq)
	case SendFailed:
		m.sendFailed(ev.To, ev.Seq)
	case MixTook:
		m.pace.mixTook(ev.Duration)
	default:
		panic(fmt.Sprintf("consensus: unknown event %T", ev))
	}
}

// settle closes the round if the wait policy says so. One Step closes at most one round, because the
// next one needs a Trained.
func (m *Machine) settle() {
	if m.phase == waiting && m.wait.open(m) {
		m.closeRound()
	}
}

// Wake returns the time at which the driver must next feed Wake. It changes only within Step.
func (m *Machine) Wake() Time {
	if m.phase == idle {
		return m.now
	}
	next := m.nextRetry()
	if m.phase == waiting {
		return min(next, m.wait.wake(m))
	}
	if m.mid != nil {
		return min(next, m.mid.wake(m))
	}
	return next
}

func (m *Machine) awake() {
	if m.phase == idle {
		m.start()
		return
	}
	m.retry()
	if m.phase == training && m.mid != nil {
		m.mid.awake(m)
	}
}

func (m *Machine) start() {
	if m.newborn {
		m.view.arrive(m.now)
		m.saved = m.now
	}
	m.begin()
}

// Params returns the current estimate; nobody writes it.
func (m *Machine) Params() []float32 { return m.x }

// Round returns the number of rounds closed.
func (m *Machine) Round() uint64 { return m.round }

// Steps returns the number of local steps behind the estimate.
func (m *Machine) Steps() uint64 { return m.steps }

func (m *Machine) emit(e Effect) { m.effects = append(m.effects, e) }

func (m *Machine) ignore(from Peer, reason string) {
	m.emit(Ignored{From: from, Reason: reason})
}
