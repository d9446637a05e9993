package gossip

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/starling-ml/starling/consensus"
	"github.com/starling-ml/starling/wire"
)

// patience bounds how long a test waits for something that must happen.
const patience = 30 * time.Second

// peer is a mesh under test with a reader that records its events.
type testPeer struct {
	mesh *Mesh
	key  Key

	mu      sync.Mutex
	log     []Event
	changed chan struct{}
	read    int // events that next has passed
	ended   chan struct{}
	forget  bool // keep no estimates: for benchmarks with large ones
}

var testSignature = wire.Signature{{Name: "w", Shape: []int{3}}, {Name: "b", Shape: []int{1}}}

func testConfig(t testing.TB, name string) Config {
	key, err := NewKey(rand.NewChaCha8([32]byte([]byte(name + "................................")[:32])))
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Key:     key,
		Hello:   wire.Hello{Software: "test", Name: name, RunName: t.Name(), Signature: testSignature},
		Listen:  []string{"/ip4/127.0.0.1/tcp/0"},
		Minimal: true,
		Timing: Timing{
			Heartbeat: 200 * time.Millisecond, DeadAfter: 10 * time.Second, DialDelay: 500 * time.Millisecond,
			RetryMin: 20 * time.Millisecond, RetryMax: time.Second, AnnounceEvery: 300 * time.Millisecond,
		},
	}
}

func newPeer(t testing.TB, name string, change ...func(*Config)) *testPeer {
	t.Helper()
	c := testConfig(t, name)
	for _, f := range change {
		f(&c)
	}
	return openPeer(t, c)
}

func openPeer(t testing.TB, c Config) *testPeer {
	t.Helper()
	mesh, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	p := &testPeer{mesh: mesh, key: c.Key, changed: make(chan struct{}), ended: make(chan struct{})}
	go p.record()
	t.Cleanup(func() {
		mesh.Close()
		<-p.ended
	})
	return p
}

func (p *testPeer) record() {
	defer close(p.ended)
	for event := range p.mesh.Events() {
		if _, ok := event.(Inbound); ok && p.forget {
			continue
		}
		p.mu.Lock()
		p.log = append(p.log, event)
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
	}
}

func (p *testPeer) id() consensus.Peer { return p.mesh.ID() }

// next returns the first event of type E that no earlier call has passed.
func next[E Event](t testing.TB, p *testPeer) E {
	t.Helper()
	return await(t, p, func(E) bool { return true })
}

// await passes events until one of type E fulfils the condition.
func await[E Event](t testing.TB, p *testPeer, wanted func(E) bool) E {
	t.Helper()
	timeout := time.After(patience)
	for {
		p.mu.Lock()
		for p.read < len(p.log) {
			event, ok := p.log[p.read].(E)
			p.read++
			if ok && wanted(event) {
				p.mu.Unlock()
				return event
			}
		}
		changed := p.changed
		log := p.log
		p.mu.Unlock()
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("%s never saw the %T it waited for; of %d events the last are %.2000s",
				p.mesh.config.Hello.Name, *new(E), len(log), fmt.Sprintf("%+v", log[max(0, len(log)-10):]))
		}
	}
}

// neighbours makes each peer know the addresses of the others and want a link to all of them.
func connect(t testing.TB, peers ...*testPeer) {
	t.Helper()
	for i, p := range peers {
		var others []consensus.Peer
		for j, other := range peers {
			if i != j {
				p.mesh.noteAddrs(other.key.id, other.mesh.announcement(false).Addrs)
				others = append(others, other.id())
			}
		}
		if err := p.mesh.SetNeighbours(1, others); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range peers {
		for range len(peers) - 1 {
			next[Up](t, p)
		}
	}
}

func estimate(seq uint64) consensus.Estimate {
	return consensus.Estimate{Seq: seq, Round: seq, Params: []float32{1, 2, 3, float32(seq)}}
}
